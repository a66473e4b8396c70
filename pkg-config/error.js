const TEXTS = {
  CLIENT_CLOSED: 'the client is closed',
  CLIENT_RECONNECTING: 'the client is reconnecting, and this operation may not wait',
  CONNECTION_LOST: 'the connection was lost',
  CONNECT_TIMEOUT: 'no gateway opened before the connect schedule was spent',
  ENCODE_FAILED: 'the request could not be encoded',
  INIT_FAILED: 'the wasm could not be loaded',
  INVALID_OPTION: 'an option or an argument is wrong',
  MESSAGE_TOO_BIG: 'the message is too big',
  NOT_INITIALISED: 'the wasm is not loaded yet: await init() first',
  NO_GATEWAY: 'no gateway is left that may be dialled',
  NO_WEBSOCKET: 'this platform has no WebSocket: pass a constructor as the option WebSocket',
  OVERLOADED: 'more operations are pending than the limits allow',
  PROTOCOL_ERROR: 'the answer had neither a result nor an error',
  REMOTE_ERROR: 'the gateway answered with an error',
  RESPONSE_TIMEOUT: 'no answer came within waitForResponseMilliseconds',
  RETRY_TIMEOUT: 'retryTimeoutSeconds were over before an attempt succeeded',
  TIMEOUT: 'timeoutMilliseconds were over',
  WRONG_CONTEXT: 'the socket belongs to another request: make one client per request or Durable Object',
};

/** What each rule of an option says; `more` is what came with the rule's name. */
const RULES = {
  batch: () => 'must be left out where there is a codec: only JSON-RPC has batches',
  boolean: () => 'must be true or false',
  choice: (words) => `must be one of ${words.map((word) => `"${word}"`).join(', ')}`,
  codec: () => 'must have the methods encode and decode',
  constructor: () => 'must be a class with the interface of WebSocket',
  digits: ([field]) => `must have a whole number in ASCII digits as ${field}`,
  fetch: () => 'must be "websocket" here: "fetch" is for Workers, by the entry of the condition "workerd"',
  function: () => 'must be a function',
  gateways: () => 'must be a list of at least one gateway, or a function that gives one',
  headers: () => 'must be left out here: only the transport "fetch" can send them',
  integer: ([least, most]) => `must be a whole number within ${least}..=${most}`,
  judgement: () =>
    'must give a verdict (next, same, refresh, stop) or { verdict, waitMilliseconds } with 0..=2147483647',
  key: () => 'must be a text of at least one character, or true to have one drawn',
  list: () => 'must be a list here: only the options of a client take a function',
  logger: () => 'must be null or have the methods error, info and warn',
  method: () => 'must be a text of at least one character',
  object: () => 'must be an object',
  params: () => 'must be an array, an object or undefined',
  parts: () => 'must have the parts initial:max:backoff[:maxsingle]',
  protocols: () =>
    'must be a sub-protocol or a list of different ones, each of the characters that HTTP allows in a token',
  range: ([field]) => `must have ${field} within 1..=2147483647`,
  ratio: () => 'must be a number within 0..=1',
  schedule: () => 'must be a text initial:max:backoff[:maxsingle]',
  scheme: () => 'must have the scheme ws: or wss:',
  signal: () => 'must be an AbortSignal',
  'too many gateways': ([most]) => `must have at most ${most} gateways`,
  'too many waits': ([most]) => `must have at most ${most} waits to be listed`,
  twice: ([path]) => `is another name of what ${path} sets to another value`,
  unknown: () => 'is no option of regate',
  url: () => 'must be an absolute URL',
  'url text': () => 'must be the text of a URL, or an object with such a url',
};

/** The longest text of a wrong value that is shown. */
const MOST_CHARACTERS = 60;

/** The most gateways that one line names. */
const MOST_GATEWAYS = 8;

function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a proxy that was revoked
  }
}

/** Rules of options whose values are shown. What breaks another may be a secret in a wrong place. */
const SHOWN = new Set([
  'boolean',
  'choice',
  'digits',
  'integer',
  'parts',
  'range',
  'ratio',
  'schedule',
  'scheme',
  'too many waits',
]);

/** A name as it may be shown: a URL in the place of one may hold a secret. */
export function shownName(name) {
  const shown = name.replace(/[a-z][a-z0-9+-]*:\/\/.*/is, '(a URL)');
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown;
}

function shown(value, rule) {
  if (typeof value === 'string') {
    if (!SHOWN.has(rule)) return `a text of ${value.length} characters`;
    if (value.includes('://')) return 'a URL'; // which may hold a secret
    return JSON.stringify(value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value);
  }
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** What failed, with its close code or HTTP status where it has one. */
export const causeOf = ({ cause, closeCode, status = closeCode }) =>
  status === undefined ? cause : `${cause} ${status}`;

const describe = (failure) =>
  `${failure.gateway}: ${causeOf(failure)}${failure.failures > 1 ? `, ${failure.failures} times` : ''}`;

/** What failed last, gateway by gateway, in one line. */
export function describeFailures(failures) {
  const more = failures.length - MOST_GATEWAYS;
  const all = failures.slice(0, MOST_GATEWAYS).map(describe);
  return [...all, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

export class RegateError extends Error {
  constructor(code, fields = {}) {
    const { detail, cause, failures } = fields;
    const more = detail ?? (failures?.length ? describeFailures(failures) : undefined);
    super(more === undefined ? TEXTS[code] : `${TEXTS[code]}: ${more}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.completion = fields.completion ?? 'no';
    this.attempts = fields.attempts ?? 0;
    this.elapsedMilliseconds = fields.elapsedMilliseconds ?? 0;
    this.gateway = fields.gateway;
    if (fields.closeCode !== undefined) this.closeCode = fields.closeCode;
    if (failures !== undefined) this.failures = failures;
  }

  get name() {
    return 'RegateError';
  }

  /** Of what wasm, or the wrapper, says of an option: its name, its value, the rule it breaks. */
  static ofOption([name, value, rule, ...more]) {
    const what = shownName(name) + (value === undefined ? '' : ` is ${shown(value, rule)}: it`);
    return new RegateError('INVALID_OPTION', { detail: `${what} ${RULES[rule](more)}` });
  }
}
