// What must not compile: each line below a mark is an error, and the mark is one where it is not.
import { ClusterClient, connect, init, RegateError, tcpTimeouts } from 'regate';

const gateways = ['wss://a.example'];
declare const client: ClusterClient;

// Options of a client.
// @ts-expect-error gateways are required
new ClusterClient({});
// @ts-expect-error options are required
new ClusterClient();
// @ts-expect-error a list, not one URL
new ClusterClient({ gateways: 'wss://a.example' });
// @ts-expect-error texts, not numbers
new ClusterClient({ gateways: [5] });
// @ts-expect-error no such member of a gateway
new ClusterClient({ gateways: [{ url: 'wss://a.example', protocol: 'x' }] });
// @ts-expect-error a gateway has a url
new ClusterClient({ gateways: [{ protocols: 'x' }] });
// @ts-expect-error no such option
new ClusterClient({ gateways, timeout: 5 });
// @ts-expect-error no such option of networking: connectTimeouts
new ClusterClient({ gateways, networking: { connectTimeout: '1:2:3' } });
// @ts-expect-error a text
new ClusterClient({ gateways, networking: { connectTimeouts: 250 } });
// @ts-expect-error a number
new ClusterClient({ gateways, networking: { jitter: '0.2' } });
// @ts-expect-error one of three words
new ClusterClient({ gateways, networking: { reconnect: true } });
// @ts-expect-error one of three words
new ClusterClient({ gateways, networking: { reconnect: 'sometimes' } });
// @ts-expect-error one of two words
new ClusterClient({ gateways, transport: 'tcp' });
// @ts-expect-error values are texts
new ClusterClient({ gateways, transport: 'fetch', headers: { authorization: 5 } });
// @ts-expect-error a function gives headers
new ClusterClient({ gateways, transport: 'fetch', headers: async () => 'Bearer x' });
// @ts-expect-error one of two words
new ClusterClient({ gateways, networking: { firstConnect: 'never' } });
// @ts-expect-error true or false
new ClusterClient({ gateways, networking: { redoOperations: 'true' } });
// @ts-expect-error an object
new ClusterClient({ gateways, networking: null });
// @ts-expect-error a number
new ClusterClient({ gateways, messaging: { retryTimeoutSeconds: '120' } });
// @ts-expect-error not of messaging
new ClusterClient({ gateways, messaging: { connectTimeouts: '1:2:3' } });
// @ts-expect-error a number
new ClusterClient({ gateways, limits: { maxPendingOperations: 5n } });
// @ts-expect-error three methods
new ClusterClient({ gateways, logger: { error() {} } });
// @ts-expect-error a logger or null
new ClusterClient({ gateways, logger: false });
// @ts-expect-error a class
new ClusterClient({ gateways, WebSocket: {} });
// @ts-expect-error a function that is no class
new ClusterClient({ gateways, WebSocket: () => ({}) });
// @ts-expect-error a number
new ClusterClient({ gateways, seed: 'x' });
// @ts-expect-error a text or a list of texts
new ClusterClient({ gateways, protocols: [5] });
// @ts-expect-error no name of an existing configuration
new ClusterClient({ gateways, 'akka.cluster.seed': 1 });
// @ts-expect-error a signal belongs to connect
new ClusterClient({ gateways, signal: AbortSignal.abort() });

// Calls.
// @ts-expect-error a method is required
client.invoke();
// @ts-expect-error a method is a text
client.invoke(5);
// @ts-expect-error params are a list or an object
client.invoke('m', 5);
// @ts-expect-error params are no text
client.invoke('m', 'x');
// @ts-expect-error params are not null
client.invoke('m', null);
// @ts-expect-error no such option: readOnly
client.invoke('m', [], { readonly: true });
// @ts-expect-error true or false
client.invoke('m', [], { readOnly: 1 });
// @ts-expect-error a signal, not its controller
client.invoke('m', [], { signal: new AbortController() });
// @ts-expect-error a number
client.invoke('m', [], { timeoutMilliseconds: '5' });
// @ts-expect-error not for one call
client.invoke('m', [], { connectTimeouts: '1:2:3' });
const result = await client.invoke('m');
// @ts-expect-error a result is unknown until its type is said
result.length;
// @ts-expect-error a notification has no options
client.notify('m', [], { readOnly: true });
// @ts-expect-error what became of it is a word
export const sent: boolean = client.notify('m');
// @ts-expect-error a signal, not its controller
client.connect({ signal: new AbortController() });
// @ts-expect-error no such option
client.connect({ timeout: 5 });
// @ts-expect-error nothing comes of it
export const connection: string = await client.connect();
// @ts-expect-error reconnect takes nothing
client.reconnect(true);
// @ts-expect-error close takes nothing
client.close(1000);

// Events.
// @ts-expect-error no such event
client.addEventListener('statechanged', () => {});
// @ts-expect-error no such event
client.addEventListener('open', () => {});
// @ts-expect-error no such event
client.removeEventListener('message', () => {});
// @ts-expect-error no such member of its detail
client.addEventListener('statechange', ({ detail }) => detail.code);
// @ts-expect-error of another event
client.addEventListener('dial', ({ detail }) => detail.milliseconds);
// @ts-expect-error no such state
client.addEventListener('statechange', ({ detail }) => detail.to === 'open');
// @ts-expect-error params are unknown
client.addEventListener('notification', ({ detail }) => detail.params.key);
// @ts-expect-error what is told may not be changed
client.addEventListener('dial', ({ detail }) => (detail.round = 5));

// What may only be read.
// @ts-expect-error read only
client.state = 'closed';
// @ts-expect-error no such state
export const isOpen = client.state === 'open';
// @ts-expect-error it may be undefined
export const gateway: string = client.gateway;
// @ts-expect-error read only
client.stats().dials = 0;
// @ts-expect-error no such counter
client.stats().reconnects;

// Errors.
// @ts-expect-error only regate makes them
new RegateError('CLIENT_CLOSED');
declare const error: RegateError;
// @ts-expect-error no such code
export const isTimeout = error.code === 'TIMED_OUT';
// @ts-expect-error no such completion
export const isDone = error.completion === 'done';
// @ts-expect-error read only
error.attempts = 0;

// The rest.
// @ts-expect-error gateways are required
connect({});
// @ts-expect-error options are required
connect();
// @ts-expect-error no source (a number would do: TypeScript's WebAssembly.Module is an empty interface)
init(null);
// @ts-expect-error a text
tcpTimeouts(250);
// @ts-expect-error a list of numbers
export const waits: string[] = tcpTimeouts('1:2:3').waits();
