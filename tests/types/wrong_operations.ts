// What must not compile of sessions, lists, policies, codecs, subscriptions, endings and retry().
import { ClusterClient, type Codec, completionOf, retry } from 'regate';

const gateways = ['wss://a.example'];
declare const client: ClusterClient;

// Options.
// @ts-expect-error a function gives a list, not one URL
new ClusterClient({ gateways: () => 'wss://a.example' });
// @ts-expect-error nor a promise of one
new ClusterClient({ gateways: async () => 'wss://a.example' });
// @ts-expect-error a list of URLs
client.setGateways('wss://a.example');
// @ts-expect-error it takes no function
client.setGateways(() => gateways);
// @ts-expect-error a function
new ClusterClient({ gateways, session: 'login' });
// @ts-expect-error its connection has no subscribe
new ClusterClient({ gateways, session: (connection) => connection.subscribe('m') });
// @ts-expect-error no such verdict
new ClusterClient({ gateways, closePolicy: () => 'retry' });
// @ts-expect-error no such verdict
new ClusterClient({ gateways, closePolicy: () => ({ verdict: 'wait' }) });
// @ts-expect-error it is not waited for
new ClusterClient({ gateways, closePolicy: async () => 'next' });
// @ts-expect-error a code may be null
new ClusterClient({ gateways, closePolicy: ({ code }) => (code.toFixed() === '1' ? 'next' : 'stop') });
// @ts-expect-error true or false
new ClusterClient({ gateways, messaging: { isRetryable: () => 'yes' } });
// @ts-expect-error a number
new ClusterClient({ gateways, heartbeat: { periodMilliseconds: '15000' } });
// @ts-expect-error no such option
new ClusterClient({ gateways, heartbeat: { period: 15_000 } });
// @ts-expect-error no such limit
new ClusterClient({ gateways, limits: { maxBytes: 5 } });
// @ts-expect-error both encode and decode
new ClusterClient({ gateways, codec: { encode: () => '' } });
// @ts-expect-error a number is no frame
export const encoding: Codec = { encode: () => 5, decode: () => ({}) };
// @ts-expect-error a text is no message
export const decoding: Codec = { encode: () => '', decode: () => 'x' };

// Calls and subscriptions.
// @ts-expect-error a key is a text
client.invoke('m', [], { operationKey: 5 });
// @ts-expect-error true or false
client.invoke('m', [], { boundToConnection: 'yes' });
// @ts-expect-error a listener is required
client.subscribe('m', []);
// @ts-expect-error params come before the listener
client.subscribe('m', () => {});
// @ts-expect-error a value is unknown until its type is said
client.subscribe('m', [], (value) => value.n);
// @ts-expect-error no such option
client.subscribe('m', [], () => {}, { signal: AbortSignal.abort() });
// @ts-expect-error true or false
client.subscribe('m', [], () => {}, { route: () => 'yes' });
const subscription = client.subscribe('m', [], () => {});
// @ts-expect-error read only
subscription.isLive = true;
// @ts-expect-error read only
subscription.resumed = 0;
// @ts-expect-error a promise, not a function
subscription.ended();

// Endings.
// @ts-expect-error read only
client.closed = Promise.resolve('closed');
// @ts-expect-error drain takes nothing
client.drain(1000);
// @ts-expect-error of a promise
completionOf('m');
// @ts-expect-error no such completion
export const isDone = completionOf(client.closed) === 'done';

// retry().
// @ts-expect-error work is required
retry();
// @ts-expect-error work is a function
retry(Promise.resolve(5));
// @ts-expect-error there is no gateway without a list
retry(({ gateway }) => fetch(gateway));
// @ts-expect-error no function gives its list
retry(({ gateway }) => fetch(gateway), { gateways: () => gateways });
// @ts-expect-error no such option
retry(() => 5, { retries: 5 });
// @ts-expect-error not of retry
retry(() => 5, { session: () => {} });
// @ts-expect-error an error is unknown until its type is said
retry(() => 5, { isRetryable: (error) => error.status === 503 });
// @ts-expect-error a number
export const text: Promise<string> = retry(() => 5);
