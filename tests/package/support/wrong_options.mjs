// Wrong options: by path, rows of a value, how an error shows it, and a part of the rule it breaks.

const MOST = Number.MAX_SAFE_INTEGER;
const MS31 = 2 ** 31 - 1;

const integer = (least, most) => [
  ['1', '"1"', `${least}..=${most}`],
  [1.5, '1.5', 'whole number'],
  [Number.NaN, 'NaN', 'whole number'],
  [Number.POSITIVE_INFINITY, 'Infinity', 'whole number'],
  [-1, '-1', `${least}..=${most}`],
  [most < MOST ? most + 1 : 2 ** 53, '', 'whole number'],
  [null, 'null', 'whole number'],
  [true, 'true', 'whole number'],
  [5n, '5', 'whole number'],
  [[5], 'a list of 1', 'whole number'],
  [{}, 'an object', 'whole number'],
  [() => 5, 'a function', 'whole number'],
  [Symbol('x'), 'Symbol(x)', 'whole number'],
  ...(least > 0 ? [[least - 1, String(least - 1), `${least}..=`]] : []),
];
const boolean = [
  ['true', '"true"', 'true or false'],
  [1, '1', 'true or false'],
  [null, 'null', 'true or false'],
  [{}, 'an object', 'true or false'],
];
const ratio = [
  [-0.1, '-0.1', '0..=1'],
  [1.01, '1.01', '0..=1'],
  [Number.NaN, 'NaN', '0..=1'],
  ['0.5', '"0.5"', '0..=1'],
  [null, 'null', '0..=1'],
];
export const SCHEDULES = [
  ['', '""', 'initial:max:backoff[:maxsingle]'],
  ['1:2', '"1:2"', 'initial:max:backoff[:maxsingle]'],
  ['1:2:3:4:5', '"1:2:3:4:5"', 'initial:max:backoff[:maxsingle]'],
  ['+1:2:3', '"+1:2:3"', 'initial'],
  ['1:2 :3', '"1:2 :3"', 'max'],
  ['1:2:٣', '"1:2:٣"', 'backoff'],
  ['1:2:3:', '"1:2:3:"', 'maxsingle'],
  ['0:2:3', '"0:2:3"', 'initial within 1..=2147483647'],
  ['1:2147483648:3', '"1:2147483648:3"', 'max within'],
  [`1:${'9'.repeat(100_000)}:3`, '…', 'max within'],
  [250, '250', 'text'],
  [null, 'null', 'text'],
];
const choice = (...words) => [
  ['sometimes', '"sometimes"', words.map((word) => `"${word}"`).join(', ')],
  [true, 'true', 'one of'],
  [null, 'null', 'one of'],
];

export const WRONG = {
  'networking.connectTimeouts': SCHEDULES,
  'networking.readTimeouts': SCHEDULES,
  'networking.connectionTimeoutMilliseconds': integer(1, MS31),
  'networking.shuffleAddresses': boolean,
  'networking.redoOperations': boolean,
  'networking.reconnect': choice('always', 'schedule', 'never'),
  'networking.firstConnect': choice('schedule', 'always'),
  'networking.jitter': ratio,
  'networking.steadyMilliseconds': integer(0, MOST),
  'messaging.retryTimeoutSeconds': integer(0, MOST),
  'messaging.maxFastInvocationCount': integer(0, MOST),
  'messaging.minRetryDelayMilliseconds': integer(1, MOST),
  'messaging.retryOnConnectionLost': boolean,
  'messaging.retryOnClientReconnecting': boolean,
  'messaging.retryUnsentOperations': boolean,
  'messaging.waitForResponseMilliseconds': integer(0, MOST),
  'messaging.jitter': ratio,
  'limits.maxPendingOperations': integer(0, MOST),
  'limits.maxInFlightOperations': integer(0, MOST),
  seed: integer(0, MOST),
  WebSocket: [
    ['ws', '"ws"', 'class'],
    [null, 'null', 'class'],
    [{}, 'an object', 'class'],
  ],
  logger: [
    ['console', '"console"', 'error, info and warn'],
    [{ error() {}, info() {} }, 'an object', 'error, info and warn'],
    [true, 'true', 'error, info and warn'],
  ],
  protocols: [
    [5, '', 'text or a list of texts'],
    [null, '', 'text or a list of texts'],
    [{}, '', 'text or a list of texts'],
  ],
  networking: [
    [5, '5', 'object'],
    [null, 'null', 'object'],
    [[], 'a list of 0', 'object'],
  ],
  messaging: [['x', '"x"', 'object']],
  'networking.connectTimeout': [['1:2:3', '"1:2:3"', 'no option']],
  'networking.jitter.x': [[1, 'an object', '0..=1']].map(([value, shown, rule]) => [
    value,
    shown,
    rule,
    'networking.jitter',
  ]),
  timeout: [[5, '5', 'no option']],
  '': [['always', '"always"', 'no option']],
  __proto: [[{}, 'an object', 'no option']],
};
