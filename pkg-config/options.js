// The options, read by their own keys: each is checked by its row of the table, and goes to the core as numbers.
// What is wrong is thrown as a list: the option's name, its value, the rule that it breaks, and what the rule's text needs.

const SAFE = [0, Number.MAX_SAFE_INTEGER];
const MOST_MILLISECONDS = 2_147_483_647;

/** What the core has in src/policy/options.rs, in its order: path, kind, name in an existing configuration. A test compares both. */
const OPTIONS = [
  ['networking.connectTimeouts', 'schedule', 'com.sun.corba.ee.transport.ORBTCPConnectTimeouts'],
  ['networking.readTimeouts', 'schedule', 'com.sun.corba.ee.transport.ORBTCPTimeouts'],
  [
    'networking.connectionTimeoutMilliseconds',
    [1, MOST_MILLISECONDS],
    'hazelcast.networking.connectionTimeoutMilliseconds',
  ],
  ['networking.dialStaggerMilliseconds', [0, MOST_MILLISECONDS]],
  ['networking.shuffleAddresses', 'boolean', 'hazelcast.networking.shuffleAddresses'],
  ['networking.redoOperations', 'boolean', 'hazelcast.networking.redoOperations'],
  ['networking.reconnect', ['always', 'schedule', 'never'], 'hazelcast.networking.reconnect'],
  ['networking.firstConnect', ['schedule', 'always']],
  ['networking.jitter', 'ratio'],
  ['networking.steadyMilliseconds', SAFE],
  ['networking.failoverSpreadMilliseconds', SAFE],
  ['networking.sessionTimeoutMilliseconds', [1, SAFE[1]]],
  ['messaging.retryTimeoutSeconds', SAFE, 'hazelcast.messaging.retryTimeoutSeconds'],
  ['messaging.maxFastInvocationCount', SAFE, 'hazelcast.messaging.maxFastInvocationCount'],
  ['messaging.minRetryDelayMilliseconds', [1, SAFE[1]], 'hazelcast.messaging.minRetryDelayMilliseconds'],
  ['messaging.retryOnConnectionLost', 'boolean', 'hazelcast.messaging.retryOnConnectionLost'],
  ['messaging.retryOnClientReconnecting', 'boolean', 'hazelcast.messaging.retryOnClientReconnecting'],
  ['messaging.retryUnsentOperations', 'boolean'],
  ['messaging.waitForResponseMilliseconds', SAFE, 'com.sun.corba.ee.transport.ORBWaitForResponseTimeout'],
  ['messaging.jitter', 'ratio'],
  ['limits.maxPendingOperations', SAFE],
  ['limits.maxInFlightOperations', SAFE],
  ['limits.maxBufferedBytes', SAFE],
  ['limits.maxMessageBytes', SAFE],
  ['heartbeat.periodMilliseconds', SAFE],
];

/** Names of existing configurations. Those of the table count; others are reported once. */
const FOREIGN = ['hazelcast.', 'com.sun.corba.ee.'];

/** How many gateways a list may have: each list is compared with the one before, gateway by gateway. */
const MOST_GATEWAYS = 1_000;

/** How deep an existing configuration may nest. */
const MOST_DEPTH = 8;

/** What HTTP allows as a token, which a sub-protocol must be (RFC 6455, section 4.1). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

const DIGITS = /^\d+$/;

/** A list that is not the application's own: its getters may throw lists as well. */
export class WrongOption extends Array {}

function fail(...wrong) {
  throw WrongOption.from(wrong);
}

const isFunction = (value) => typeof value === 'function';
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null;
const isPlain = (value) => isObject(value) && !Array.isArray(value);

function has(value, ...names) {
  try {
    return isObject(value) && names.every((name) => isFunction(value[name]));
  } catch {
    return false;
  }
}

const readFunction = (path, value) => (isFunction(value) ? value : fail(path, value, 'function'));
const readChoice = (path, value, words) =>
  words.includes(value) ? words.indexOf(value) : fail(path, value, 'choice', ...words);
const readInteger = (path, value, [least, most], number = value) =>
  Number.isSafeInteger(number) && number >= least && number <= most
    ? number
    : fail(path, value, 'integer', least, most);

/** Options whose values are JavaScript's own, and what each makes of its value. */
const GIVEN = {
  __proto__: null,
  gateways: (_path, value) => value,
  protocols: readProtocols,
  closePolicy: readFunction,
  session: readFunction,
  'messaging.isRetryable': readFunction,
  'heartbeat.method': (path, value) => (value && isText(value) ? value : fail(path, value, 'method')),
  batch: (path, value) => readChoice(path, value, ['turn']),
  codec: (path, value) => (has(value, 'encode', 'decode') ? value : fail(path, value, 'codec')),
  logger: (path, value) =>
    value === null || has(value, 'error', 'info', 'warn') ? value : fail(path, value, 'logger'),
  seed: (path, value) => readInteger(path, value, SAFE),
  WebSocket: (path, value) => (isFunction(value) ? value : fail(path, value, 'constructor')),
  // The entry that has the other transport takes both away before.
  transport: (path, value) =>
    readChoice(path, value, ['websocket', 'fetch']) && fail(path, undefined, 'fetch'),
  headers: (path) => fail(path, undefined, 'headers'),
};

/** The numbers of a value, by the kind of its row; an existing configuration has texts for numbers and booleans. */
function numbersOf(kind, path, value, isExisting) {
  const boolean = isExisting && (value === 'true' || value === 'false') ? value === 'true' : value;
  if (kind === 'schedule') return readSchedule(path, value);
  if (kind === 'ratio')
    return typeof value === 'number' && value >= 0 && value <= 1
      ? [Math.round(value * 1e6)]
      : fail(path, value, kind);
  if (kind === 'boolean') return typeof boolean === 'boolean' ? [+boolean] : fail(path, value, kind);
  if (isText(kind[0])) {
    const word = isExisting && typeof boolean === 'boolean' ? (boolean ? 'always' : 'never') : value;
    return [kind.includes(word) ? kind.indexOf(word) : readChoice(path, value, kind)];
  }
  const isDigits = isExisting && isText(value) && DIGITS.test(value);
  return [readInteger(path, value, kind, isDigits ? Number(value) : value)];
}

/** The four numbers of a schedule's text. */
export function readSchedule(path, text) {
  if (!isText(text)) fail(path, text, 'schedule');
  const parts = text.split(':');
  if (parts.length < 3 || parts.length > 4) fail(path, text, 'parts');
  const numbers = parts.map((part, place) => {
    const field = ['initial', 'max', 'backoff', 'maxsingle'][place];
    if (!DIGITS.test(part)) fail(path, text, 'digits', field);
    return part > 0 && part <= MOST_MILLISECONDS ? Number(part) : fail(path, text, 'range', field);
  });
  return [...numbers, MOST_MILLISECONDS].slice(0, 4);
}

// What the application wants to be asked, as the core takes it.
const ASKED_FOR_LIST = 1;
const ASKED_FOR_VERDICTS = 2;
const ASKED_FOR_SESSIONS = 4;
/** Every connection is asked for by `connect()`, and goes on where the last one stopped. */
export const ASKS_FOR_EACH = 8;

/**
 * Reads the options of a client, but for its list. `numbers` and `hooks` are for the core: of each option its place in
 * the table, from 1, and its value, which of a schedule is four. `given` has what stays here, by its path.
 */
export function readOptions(options) {
  if (!isPlain(options)) fail('options', options, 'object');
  const read = { numbers: [], given: { __proto__: null }, foreignNames: [] };
  const seen = [];
  const walk = (prefix, object, depth) => {
    for (const key of Object.keys(object)) {
      const path = prefix + key;
      const value = object[key];
      if (value !== undefined) take(path, value, depth);
    }
  };
  const take = (path, value, depth) => {
    if (path in GIVEN) {
      read.given[path] = GIVEN[path](path, value);
      return;
    }
    const place = OPTIONS.findIndex(([name, , existing]) => path === name || path === existing);
    if (place >= 0) {
      const [name, kind] = OPTIONS[place];
      const numbers = numbersOf(kind, path, value, path !== name);
      seen[place] ??= [path, `${numbers}`];
      const [other, before] = seen[place];
      if (before !== `${numbers}`) fail(path, undefined, 'twice', other);
      read.numbers.push(place + 1, ...numbers);
      if (name === 'limits.maxMessageBytes') [read.given[name]] = numbers; // for batches
      return;
    }
    const group = `${path}.`;
    const isForeign = FOREIGN.some((name) => group.startsWith(name));
    const isGroup =
      isForeign || [...FOREIGN, ...OPTIONS.map(([name]) => name)].some((name) => name.startsWith(group));
    if (isGroup && depth < MOST_DEPTH && isPlain(value)) walk(group, value, depth + 1);
    else if (isForeign) read.foreignNames.push(path);
    else fail(path, value, isGroup ? 'object' : 'unknown');
  };
  walk('', options, 0);
  const { given, numbers } = read;
  given.gateways = options.gateways;
  if (given.codec && given.batch !== undefined) fail('batch', undefined, 'batch');
  // A codec of the application's own that has no ping.
  if (given.codec && !has(given.codec, 'ping')) numbers.push(OPTIONS.length, 0);
  read.hooks =
    (isFunction(given.gateways) && ASKED_FOR_LIST) |
    (given.closePolicy && ASKED_FOR_VERDICTS) |
    (given.session && ASKED_FOR_SESSIONS);
  return read;
}

/** The numbers of the options of `messaging` that a call has of its own. */
export const readMessaging = (options) =>
  Object.keys(options).flatMap((name) => {
    const place = OPTIONS.findIndex(([path]) => path === `messaging.${name}`);
    if (place < 0) fail(name, options[name], 'unknown');
    return [place + 1, ...numbersOf(OPTIONS[place][1], name, options[name], false)];
  });

/**
 * Reads a list: of each gateway its identity, its URL, all that may be shown of it, and its sub-protocols, in one row.
 * `protocols` are those of entries that have none of their own.
 */
export function readList(list, protocols, isForSockets = true) {
  // A URL that should have been in a list may hold a secret.
  if (!Array.isArray(list) || list.length === 0)
    fail('gateways', isText(list) ? undefined : list, 'gateways');
  if (list.length > MOST_GATEWAYS) fail('gateways', list, 'too many gateways', MOST_GATEWAYS);
  const known = new Set();
  return Array.from(list).flatMap((entry, position) => {
    const [url, own] = readEntry(`gateways[${position}]`, entry, protocols, isForSockets);
    const key = `${url.href} ${[own].join()}`;
    if (known.has(key)) return []; // exact duplicates count once
    known.add(key);
    const { origin } = url;
    // Without user info, query and fragment, which hold what changes while the gateway stays.
    return [origin + url.pathname, url.href, `${origin} [${position}]`, own];
  });
}

function readEntry(name, entry, protocols, isForSockets) {
  const isOwn = isPlain(entry);
  let own = isOwn ? entry.protocols : undefined;
  if (isOwn) {
    const other = Object.keys(entry).find((key) => key !== 'url' && key !== 'protocols');
    // A URL in the place of a name may hold a secret.
    if (other !== undefined)
      fail(`${name}.${other.includes('://') ? '(a URL)' : other}`, undefined, 'unknown');
  }
  own = own === undefined ? protocols : readProtocols(name, own);
  const text = isOwn ? entry.url : entry;
  if (!isText(text)) fail(name, undefined, 'url text');
  let url;
  try {
    url = new URL(text);
  } catch {
    fail(name, undefined, 'url'); // it may hold a secret, so an error does not show it
  }
  if (isForSockets && !/^wss?:$/.test(url.protocol)) fail(name, url.protocol, 'scheme');
  url.hash = ''; // a WebSocket has none, and some platforms refuse it
  return [url, own];
}

/** A sub-protocol, or a list of them. They may be secrets, so an error shows only where one is. */
function readProtocols(path, value) {
  const name = path.endsWith('protocols') ? path : `${path}.protocols`;
  const isWrong = (text, place, all) => !isText(text) || !TOKEN.test(text) || all.indexOf(text) < place;
  if (isText(value) && TOKEN.test(value)) return value;
  if (!Array.isArray(value)) fail(name, undefined, 'protocols');
  const list = Array.from(value); // what the caller does to it later changes nothing
  const wrong = list.findIndex(isWrong);
  if (wrong >= 0) fail(`${name}[${wrong}]`, undefined, 'protocols');
  return list.length === 0 ? undefined : list;
}
