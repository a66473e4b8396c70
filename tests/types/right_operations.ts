// What must compile of sessions, lists, policies, codecs, subscriptions, endings and retry().
import {
  type ClientOptions,
  type ClientStats,
  ClusterClient,
  type Codec,
  type CodecMessage,
  type Completion,
  completionOf,
  type Failure,
  type Gateway,
  type Judgement,
  type RemoteError,
  type RetryAttempt,
  type RetryOptions,
  retry,
  type SessionConnection,
  type Subscription,
  type Verdict,
} from 'regate';

/** Compiles only where both are one type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
declare const client: ClusterClient;
const gateways = ['wss://a.example'];
const { signal } = new AbortController();

/** Every form of a list function. */
export const lists: ClientOptions['gateways'][] = [
  gateways,
  () => gateways,
  async () => gateways,
  async (): Promise<readonly Gateway[]> => [{ url: 'wss://a.example', protocols: ['x'] }],
  () => ['wss://a.example', { url: 'wss://b.example' }] as const,
];
client.setGateways(gateways);
client.setGateways([{ url: 'wss://a.example', protocols: 'x' }] as const);

const everything: ClientOptions = {
  gateways: () => gateways,
  networking: { failoverSpreadMilliseconds: 1000, sessionTimeoutMilliseconds: 5000 },
  messaging: { isRetryable: (error: RemoteError) => error.code === 503 && error.data?.retryable !== false },
  heartbeat: { periodMilliseconds: 0, method: 'ping' },
  limits: { maxPendingOperations: 0, maxInFlightOperations: 0, maxBufferedBytes: 0, maxMessageBytes: 0 },
  session: async ({ gateway, invoke, notify }) => {
    const token = await invoke<string>('login', [gateway], { signal, timeoutMilliseconds: 5 });
    const became: 'sent' | 'dropped' = notify('hello', { token });
    return became;
  },
  closePolicy: ({ code, status, reason, gateway, verdict }: Failure) => {
    if (status !== null && status >= 500) return { waitMilliseconds: status };
    if (code === null) return undefined;
    if (reason === gateway) return { waitMilliseconds: 5 };
    return code === 4000 ? { verdict: 'same', waitMilliseconds: 5 } : verdict;
  },
  'networking.jitter': 0,
  'limits.maxMessageBytes': 5,
};
export const clients = [
  new ClusterClient(everything),
  new ClusterClient({ gateways, session: (connection: SessionConnection) => void connection.notify('m') }),
  new ClusterClient({ gateways, closePolicy: () => 'stop' }),
  new ClusterClient({ gateways, transport: 'websocket' }),
  new ClusterClient({ gateways, transport: 'fetch', headers: { authorization: 'x' } }),
  new ClusterClient({ gateways, transport: 'fetch', headers: [['a', 'b']] }),
  new ClusterClient({ gateways, transport: 'fetch', headers: new Headers({ a: 'b' }) }),
  new ClusterClient({ gateways, transport: 'fetch', headers: async (url: string) => ({ a: url }) }),
  new ClusterClient({ gateways, closePolicy: (): Verdict | Judgement => ({ verdict: 'next' }) }),
];

const codec: Codec = {
  encode: ({ id, method, params, meta }) => JSON.stringify([id, method, params, meta?.operationKey]),
  decode: (frame) => (typeof frame === 'string' ? JSON.parse(frame) : []),
  ping: (id) => new Uint8Array([id]),
};
const binary: Codec = {
  encode: ({ id }) => (id === undefined ? new ArrayBuffer(1) : new Blob([String(id)])),
  decode: (): readonly CodecMessage[] => [
    { id: '1', result: 5 },
    { method: 'm', params: [] },
  ],
};
export const speaking = [
  new ClusterClient({ gateways, codec }),
  new ClusterClient({ gateways, codec: binary }),
];

// Calls.
export const bound: Promise<unknown> = client.invoke('m', [], {
  boundToConnection: true,
  operationKey: true,
});
await client.invoke('m', [], {
  operationKey: 'key',
  isRetryable: () => false,
  waitForResponseMilliseconds: 0,
});
export const known: Completion | undefined = completionOf(bound);

// Subscriptions.
const subscription: Subscription = client.subscribe<{ n: number }>(
  'eth_subscribe',
  ['heads'],
  ({ n }, { resumed }) => {
    console.log(n + resumed);
  },
);
client.subscribe('m', undefined, (value) => void (value satisfies unknown));
client.subscribe('m', {}, () => {}, {
  route: ({ method, params }) => method === 'x' && params !== undefined,
});
client.subscribe('m', [], () => {}, { unsubscribeMethod: 'leave' });
export const shown: [boolean, number] = [subscription.isLive, subscription.resumed];
await subscription.ended;
subscription.unsubscribe();

// Endings.
export const ends: Promise<'closed'>[] = [client.closed, client.drain()];
client.addEventListener('gatewaysfailed', ({ detail }) => detail.reason.length);
client.addEventListener(
  'sessionfailed',
  ({ detail }) => detail.gateway.length && detail.error instanceof Error,
);
const stats: ClientStats = client.stats();
export const numbers: number[] = [
  stats.subscriptions,
  stats.succeeded,
  stats.failedNo,
  stats.failedMaybe,
  stats.failedYes,
  stats.unmatchedAnswers,
  stats.overloaded,
];

// retry(): the URL is a text with a list, undefined without one.
const response: Response = await retry(({ gateway, signal: own }) => fetch(gateway, { signal: own }), {
  gateways: ['https://a.example', { url: 'https://b.example' }],
  readOnly: true,
});
export const five: number = await retry(() => 5);
export const later: Promise<string> = retry(async ({ attempt }) => String(attempt), {
  redoOperations: true,
  signal,
});
const options: RetryOptions = {
  networking: { connectTimeouts: '1:2:3' },
  messaging: { retryTimeoutSeconds: 5 },
  timeoutMilliseconds: 5,
  seed: 7,
};
await retry(() => response, options);
await retry(({ gateway }) => gateway?.length, options);
await retry(() => {}, { isRetryable: (error) => error instanceof TypeError });
await retry(() => {}, { isRetryable: (error: { status: number }) => error.status === 503 });
export const ofAttempt: Same<RetryAttempt<string>['gateway'], string> = true;
export const withoutList: Same<RetryAttempt<undefined>['gateway'], undefined> = true;
