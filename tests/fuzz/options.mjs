// Any object for options: a client that works, or a RegateError that says which option is wrong; never anything else.
// Runs in Node and, bundled with fast-check, in a page.
import { fakeSockets } from '../package/support/fake_ws.mjs';

const fail = () => {
  throw new Error('a trap of the application');
};
const schedule = ['250:60000:100:5000', '2000:6000:20', '1:1:1', '0:1:1', '1:2', '+1:2:3', '1:2147483648:3'];
const numbers = [0, 1, 5, 1.5, -1, 0.2, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, Number.NaN, -0];

/** Paths with values that are right for them, now and then. */
const PATHS = {
  'networking.connectTimeouts': schedule,
  'networking.readTimeouts': schedule,
  'networking.connectionTimeoutMilliseconds': numbers,
  'networking.shuffleAddresses': [true, false],
  'networking.redoOperations': [true, false],
  'networking.reconnect': ['always', 'schedule', 'never', true],
  'networking.firstConnect': ['always', 'schedule', 'never'],
  'networking.jitter': numbers,
  'networking.steadyMilliseconds': numbers,
  'networking.failoverSpreadMilliseconds': numbers,
  'networking.sessionTimeoutMilliseconds': numbers,
  'messaging.retryTimeoutSeconds': numbers,
  'messaging.maxFastInvocationCount': numbers,
  'messaging.minRetryDelayMilliseconds': numbers,
  'messaging.retryOnConnectionLost': [true, false],
  'messaging.retryOnClientReconnecting': [true, false],
  'messaging.retryUnsentOperations': [true, false],
  'messaging.waitForResponseMilliseconds': numbers,
  'messaging.jitter': numbers,
  'messaging.isRetryable': [() => false, null],
  'limits.maxPendingOperations': numbers,
  'limits.maxInFlightOperations': numbers,
  'limits.maxBufferedBytes': numbers,
  'limits.maxMessageBytes': numbers,
  'heartbeat.periodMilliseconds': numbers,
  'heartbeat.method': ['ping', ''],
  'hazelcast.networking.redoOperations': ['true', 'false', 'TRUE', true],
  'hazelcast.networking.connectionTimeoutMilliseconds': ['5000', '05', '5e3', 5000],
  'hazelcast.messaging.jitter': ['1'],
  'com.sun.corba.ee.transport.ORBTCPTimeouts': schedule,
  'com.sun.corba.ee.transport': [{}],
  gateways: [
    ['ws://a.example'],
    ['ws://a.example', { url: 'wss://b.example/x', protocols: ['p'] }],
    [],
    () => [],
  ],
  protocols: ['p', ['p', 'q'], ['p', 5]],
  logger: [null, { error() {}, info() {}, warn() {} }, {}],
  codec: [{ encode: JSON.stringify, decode: JSON.parse }, {}],
  session: [() => {}, 5],
  closePolicy: [() => 'next', 'next'],
  seed: numbers,
  WebSocket: [class {}, 5],
  signal: [new AbortController().signal],
};
const CALL = {
  readOnly: [true, false, 1],
  redoOperations: [true, false],
  boundToConnection: [true, false],
  timeoutMilliseconds: numbers,
  operationKey: [true, false, 'k', ''],
  retryTimeoutSeconds: numbers,
  maxFastInvocationCount: numbers,
  jitter: numbers,
  isRetryable: [() => true],
  signal: [new AbortController().signal, AbortSignal.abort('aborted'), {}],
};

/** Objects that throw when they are looked at, and other values that nobody expects; fast-check only sees their names. */
const HOSTILE = {
  function: () => fail,
  class: () => class {},
  symbol: () => Symbol('s'),
  bigint: () => 10n ** 30n,
  'a proxy that throws': () => new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail }),
  'a proxy of a function': () => new Proxy(fail, {}),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'a getter that throws': () => Object.defineProperty({}, 'a', { get: fail, enumerable: true }),
  'no prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'a cycle': () => {
    const cycle = {};
    cycle.networking = cycle;
    return cycle;
  },
  'a sparse list': () => new Array(1_000),
  'no date': () => new Date(Number.NaN),
  'conversions that throw': () => ({ toString: fail, valueOf: fail, toJSON: fail }),
  'an undefined object': () => globalThis.document?.all,
};

/** What to make a value of: the name of a hostile one, or any value of the language itself. */
function anything(fc) {
  const value = fc.anything({
    maxDepth: 3,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ value }) },
    fc.record({ hostile: fc.constantFrom(...Object.keys(HOSTILE)) }),
  );
}

/** What to make an object of: some of these paths, nested or dotted, each with a value of its own or any. */
function objects(fc, paths) {
  const any = anything(fc);
  const entry = fc
    .constantFrom(...Object.keys(paths))
    .chain((path) =>
      fc.tuple(
        fc.constant(path),
        fc.oneof(
          { weight: 3, arbitrary: fc.record({ usual: fc.nat({ max: paths[path].length - 1 }) }) },
          any,
        ),
        fc.boolean(),
      ),
    );
  const strange = fc.tuple(fc.oneof(fc.string(), fc.constant('__proto__')), any, fc.constant(true));
  return fc.record({
    entries: fc.array(fc.oneof({ weight: 8, arbitrary: entry }, strange), { maxLength: 5 }),
  });
}

/** Makes the value; `paths` are the table of the usual ones, and `base` what objects have besides. */
function make(recipe, paths, base, path) {
  if ('hostile' in recipe) return HOSTILE[recipe.hostile]();
  if ('usual' in recipe) return paths[path][recipe.usual];
  if (!('entries' in recipe)) return recipe.value;
  const object = { ...base };
  for (const [name, value, dotted] of recipe.entries)
    put(object, dotted ? [name] : name.split('.'), make(value, paths, base, name));
  return object;
}

/** The objects that `put` has made; others are not looked into, as they may throw. */
const made = new WeakSet();

function put(object, [name, ...rest], value) {
  if (rest.length > 0) {
    const inner = Object.hasOwn(object, name) ? object[name] : undefined;
    const next = made.has(inner) ? inner : {};
    made.add(next);
    put(next, rest, value);
    value = next;
  }
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function require(holds, what) {
  if (!holds) throw new Error(what);
}

/** Whether the application's own getter or trap threw this: a call passes that on as it is. */
const isOfApplication = (error) =>
  error instanceof Error && /^a trap of the application$|proxy that has been revoked$/.test(error.message);

/** That only a wrong option is thrown. */
function attempt(regate, codes, call) {
  try {
    return call();
  } catch (error) {
    if (codes.includes('ENCODE_FAILED') && isOfApplication(error)) return undefined;
    require(error instanceof regate.RegateError, `it throws ${describe(error)}`);
    require(codes.includes(error.code), `it throws ${describe(error)}`);
    require(error.completion === 'no', `its completion is ${error.completion}`);
    require(error.message.length < 1_000, `its message has ${error.message.length} characters`);
    return undefined;
  }
}

function describe(error) {
  try {
    return `${error?.name}: ${error?.code} ${error?.message}\n${error?.stack}`;
  } catch {
    return 'something that cannot even be described';
  }
}

const base = () => {
  const fake = fakeSockets({ made: (socket) => queueMicrotask(() => socket.open()) });
  return { fake, options: { gateways: ['ws://a.example'], logger: null, WebSocket: fake.WebSocket } };
};

/** Options of a client. */
export function clientProperty(fc, regate) {
  const { fake, options } = base();
  const some = fc.oneof({ weight: 8, arbitrary: objects(fc, PATHS) }, { weight: 1, arbitrary: anything(fc) });
  return fc.property(some, fc.constantFrom('usable', 'usable', 'empty'), (recipe, besides) => {
    const given = make(recipe, PATHS, besides === 'usable' ? options : {});
    const client = attempt(regate, ['INVALID_OPTION'], () => new regate.ClusterClient(given));
    if (client !== undefined) {
      require(client.state === 'idle' && client.stats().dials === 0, 'it does something by itself');
      client.close();
      require(client.state === 'closed', 'it is not closed');
    }
    require(fake.sockets.length === 0, 'a socket was made');
  });
}

/** Arguments of calls. */
export function callProperty(fc, regate) {
  const any = anything(fc);
  const usual = (value) => ({ weight: 1, arbitrary: fc.constant({ value }) });
  const options = fc.oneof({ weight: 4, arbitrary: objects(fc, CALL) }, usual(undefined), any);
  const recipes = [fc.oneof(usual('m'), any), fc.oneof(usual([]), any), options, any];
  return fc.asyncProperty(...recipes, async (...given) => {
    const [method, params, options, other] = given.map((recipe) => make(recipe, CALL, {}));
    const { fake, options: mine } = base();
    const client = new regate.ClusterClient(mine);
    try {
      await client.connect();
      const outcome = client.invoke(method, params, options).then(
        () => 'a result that nobody sent',
        (error) => {
          const isOwn = error instanceof regate.RegateError || error === 'aborted' || isOfApplication(error);
          return isOwn ? undefined : `it rejects with ${describe(error)}`;
        },
      );
      const wrong = ['INVALID_OPTION', 'ENCODE_FAILED'];
      attempt(regate, wrong, () => client.notify(method, params));
      attempt(regate, wrong, () => client.subscribe(method, params, () => {}, options).unsubscribe());
      attempt(regate, wrong, () => client.setGateways(other));
      attempt(regate, wrong, () => regate.tcpTimeouts(other).warnings());
      client.connect(other).catch(() => {});
      require(client.state === 'connected', `it is ${client.state}`);
      // Whatever was asked, the next operation goes out and is answered.
      const { last } = fake;
      const next = client.invoke('next', [], { readOnly: true });
      last.answer(last.sent.at(-1), 'answered');
      require((await next) === 'answered', 'the next operation is not answered');
      client.close();
      const broken = await outcome;
      require(broken === undefined, broken);
    } finally {
      client.close(); // of a run that failed, no timer stays
    }
  });
}
