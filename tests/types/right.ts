// What must compile, and have these types.
import {
  type CallOptions,
  type ClientEvents,
  type ClientOptions,
  type ClientState,
  type ClientStats,
  ClusterClient,
  type Completion,
  connect,
  type GatewayFailure,
  init,
  RegateError,
  type RegateErrorCode,
  tcpTimeouts,
} from 'regate';
import type * as inline from 'regate/inline';
import wasm from 'regate/regate_bg.wasm';

/** Compiles only where both are one type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
export const sameTypes: Same<typeof inline.connect, typeof connect> = true;

await init();
await init(new URL('https://a.example/regate_bg.wasm'));
await init('/regate_bg.wasm');
await init(await fetch('/regate_bg.wasm'));
await init(fetch('/regate_bg.wasm'));
await init(new Uint8Array());
await init(new ArrayBuffer(8));
await init(wasm);

const abort = new AbortController();
const client: ClusterClient = await connect({ gateways: ['wss://a.example/ws'], signal: abort.signal });

const everything: ClientOptions = {
  gateways: ['wss://a.example', { url: 'wss://b.example' }, { url: 'wss://c.example', protocols: ['x'] }],
  protocols: 'x',
  networking: {
    connectTimeouts: '250:60000:100:5000',
    readTimeouts: '2000:6000:20',
    connectionTimeoutMilliseconds: 10_000,
    dialStaggerMilliseconds: 2_000,
    shuffleAddresses: true,
    redoOperations: false,
    reconnect: 'schedule',
    firstConnect: 'always',
    jitter: 0.2,
    steadyMilliseconds: 5000,
  },
  messaging: {
    retryTimeoutSeconds: 120,
    maxFastInvocationCount: 5,
    minRetryDelayMilliseconds: 1000,
    retryOnConnectionLost: true,
    retryOnClientReconnecting: true,
    retryUnsentOperations: false,
    waitForResponseMilliseconds: 0,
    jitter: 0,
  },
  limits: { maxPendingOperations: 0, maxInFlightOperations: 0 },
  logger: null,
  WebSocket: globalThis.WebSocket,
  seed: 7,
  hazelcast: { networking: { redoOperations: 'true' } },
  com: { sun: {} },
  'hazelcast.networking.shuffleAddresses': 'false',
  'com.sun.corba.ee.transport.ORBTCPTimeouts': '2000:6000:20',
};
const frozen = Object.freeze(['wss://a.example'] as const);
export const clients = [
  new ClusterClient(everything),
  new ClusterClient({ gateways: frozen, logger: console }),
  new ClusterClient({ gateways: frozen, logger: { error() {}, info() {}, warn(_text: string) {} } }),
  new ClusterClient({ gateways: frozen, WebSocket: class {} }),
];

export const unknownByDefault: Same<Awaited<ReturnType<typeof client.invoke>>, unknown> = true;
export const text: string = await client.invoke<string>('map.get', ['k'], { readOnly: true });
export const nothing: unknown = await client.invoke('m');
await client.invoke(
  'm',
  { by: 'name' },
  { signal: abort.signal, timeoutMilliseconds: 5, redoOperations: true },
);
await client.invoke('m', [], { retryTimeoutSeconds: 5, jitter: 0.5 });
await client.invoke('m', ['a', 1] as const);
interface Params {
  key: string;
}
const params: Params = { key: 'k' };
await client.invoke('m', params);
const call: CallOptions = {};
await client.invoke('m', undefined, call);
export const became: 'sent' | 'dropped' = client.notify('log', ['x']);

client.addEventListener('statechange', ({ detail }) => {
  const to: ClientState = detail.to;
  const code: number | undefined = detail.closeCode;
  return [to, code, detail.gateway, detail.reason];
});
client.addEventListener('dial', (event) => event.detail.round.toFixed());
client.addEventListener('dialfailed', { handleEvent: ({ detail }) => detail.verdict === 'stop' });
client.addEventListener('waiting', ({ detail }) => detail.milliseconds, { once: true, signal: abort.signal });
client.addEventListener('notification', ({ detail }) => detail.params);
client.addEventListener('protocolerror', null);
client.removeEventListener('dial', () => {}, true);
client.dispatchEvent(new Event('mine'));
export type Names = Same<
  keyof ClientEvents,
  | 'statechange'
  | 'dial'
  | 'dialfailed'
  | 'waiting'
  | 'gatewaysfailed'
  | 'sessionfailed'
  | 'notification'
  | 'protocolerror'
>;
export const names: Names = true;

await client.connect();
await client.connect({ signal: abort.signal });
client.reconnect();
export const state: ClientState = client.state;
export const gateway: string | undefined = client.gateway;
const stats: ClientStats = client.stats();
export const numbers: number[] = [stats.dials, stats.attempts, stats.protocolErrors];
{
  using scoped = client;
  scoped.close();
}

try {
  await client.invoke('m');
} catch (error) {
  if (error instanceof RegateError) {
    const plain: Error = error;
    const code: RegateErrorCode = error.code;
    const completion: Completion = error.completion;
    const failures: readonly GatewayFailure[] | undefined = error.failures;
    if (error.code === 'CONNECT_TIMEOUT')
      console.log(plain, code, completion, failures?.[0]?.gateway, error.closeCode);
    console.log(
      error.attempts + error.elapsedMilliseconds,
      error.gateway,
      error.cause,
      error.name satisfies 'RegateError',
    );
  }
}

export const waits: number[] = tcpTimeouts('250:60000:100').waits();
export const warnings: string[] = tcpTimeouts('250:60000:100').warnings();
