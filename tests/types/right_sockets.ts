// Right uses of GatewaySocket: each must compile.
import {
  GatewaySocket,
  type GatewaySocketErrorEvent,
  type GatewaySocketOptions,
  type RegateError,
} from 'regate';

const options: GatewaySocketOptions = {
  networking: { jitter: 0, reconnect: 'schedule' },
  limits: { maxBufferedBytes: 1000, maxPendingOperations: 10 },
  closePolicy: ({ code }) => (code === 4429 ? { waitMilliseconds: 1000 } : undefined),
  logger: null,
  reconnect: true,
  buffer: true,
  protocols: ['a', 'b'],
  WebSocket,
  seed: 1,
  'networking.steadyMilliseconds': 5,
};
const Gateways = GatewaySocket.over(
  ['wss://a.example', { url: 'wss://b.example', protocols: 'own' }],
  options,
);
GatewaySocket.over(async () => ['wss://a.example']);

// It stands where the platform's class is wanted.
export const impls: (typeof WebSocket)[] = [GatewaySocket, Gateways];
globalThis.WebSocket = Gateways;
declare function library(impl: typeof WebSocket, options: { webSocketImpl?: unknown }): void;
library(Gateways, { webSocketImpl: Gateways });

export const sockets: WebSocket[] = [
  new Gateways(),
  new Gateways('wss://ignored', ['mqtt']),
  new GatewaySocket('wss://a.example'),
  new GatewaySocket(new URL('wss://a.example'), 'mqtt'),
  new GatewaySocket(['wss://a.example'], null, options),
  new GatewaySocket(() => ['wss://a.example'], undefined, { reconnect: true }),
];

const socket: GatewaySocket = new Gateways();
socket.binaryType = 'arraybuffer';
socket.onmessage = ({ data }) => data;
socket.onclose = ({ code, reason, wasClean }) => console.log(code, reason, wasClean);
socket.onerror = ({ error }) => error?.code === 'CONNECT_TIMEOUT';
socket.addEventListener('error', (event: GatewaySocketErrorEvent) => {
  const error: RegateError | undefined = event.error;
  console.log(error?.failures);
});
socket.addEventListener('open', () => socket.send('text'), { once: true });
socket.send(new Uint8Array(1));
socket.send(new Blob([]));
socket.close(4000, 'done');
export const gateway: string | undefined = socket.gateway;
export const isOpen: boolean[] = [GatewaySocket.OPEN, Gateways.OPEN].map(
  (open) => socket.readyState === open,
);
export const four: 0 | 1 | 2 | 3 = socket.CLOSED;
