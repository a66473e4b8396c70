// Wrong uses of GatewaySocket: each must be an error.
import { GatewaySocket } from 'regate';

const Gateways = GatewaySocket.over(['wss://a.example']);
const socket = new Gateways();

// @ts-expect-error gateways are required
GatewaySocket.over();
// @ts-expect-error a list
GatewaySocket.over('wss://a.example');
// @ts-expect-error required
new GatewaySocket();
// @ts-expect-error options are for the class
new Gateways('wss://a.example', undefined, { reconnect: true });
// @ts-expect-error a class made by it makes no classes
Gateways.over(['wss://a.example']);

// Options that mean nothing to a socket.
// @ts-expect-error a socket has no session hook
GatewaySocket.over([], { session: () => {} });
// @ts-expect-error nor operations
GatewaySocket.over([], { messaging: { jitter: 0 } });
// @ts-expect-error nor a heartbeat
GatewaySocket.over([], { heartbeat: { periodMilliseconds: 1 } });
// @ts-expect-error nor a codec
GatewaySocket.over([], { codec: { encode: String, decode: String } });
// @ts-expect-error operations in flight are not a socket's
GatewaySocket.over([], { limits: { maxInFlightOperations: 1 } });
// @ts-expect-error true or false
GatewaySocket.over([], { reconnect: 'always' });
// @ts-expect-error true or false
GatewaySocket.over([], { buffer: 16 });

// As with any WebSocket.
// @ts-expect-error read only
socket.readyState = 1;
// @ts-expect-error no such type
socket.binaryType = 'text';
// @ts-expect-error nothing that can be sent
socket.send({ key: 'value' });
// @ts-expect-error a number
socket.close('1000');
// @ts-expect-error it may be undefined
export const gateway: string = socket.gateway;
// @ts-expect-error it may be undefined
socket.onerror = ({ error }) => error.code;
