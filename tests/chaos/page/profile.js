// The options of the clients: alike in what they speak, different in how they are used.

/**
 * Chromium itself holds the dials of a page back, up to 5 s each, once many of them have failed: a shorter limit would
 * give up dials that were never made, for ever, and a quicker schedule would have too many of them fail.
 */
const DIALLING = {
  page: { connectTimeouts: '250:20000:100:2000', connectionTimeoutMilliseconds: 6000 },
  node: { connectTimeouts: '50:20000:60:500', connectionTimeoutMilliseconds: 800 },
};
/** Short, so that a minute holds many lives of a connection. */
const NETWORKING = {
  readTimeouts: '300:900:20',
  sessionTimeoutMilliseconds: 800,
  steadyMilliseconds: 300,
  firstConnect: 'always',
};
const MESSAGING = { minRetryDelayMilliseconds: 50, waitForResponseMilliseconds: 20_000 };
const LIMITS = { maxPendingOperations: 60, maxInFlightOperations: 60, maxBufferedBytes: 400_000 };

/**
 * How the client of this number is used.
 *
 * @param {number} number from 0
 */
export function profileOf(number) {
  return {
    asksForList: number % 2 === 1,
    judges: number % 3 === 2,
    redoesByDefault: number % 4 === 3,
    isLimited: number % 5 === 4,
  };
}

/**
 * @param {ReturnType<typeof profileOf>} profile
 * @param {{ platform: 'page' | 'node', clientSeed: number }} config
 */
export function optionsOf({ judges, redoesByDefault, isLimited }, { platform, clientSeed }) {
  return {
    networking: { ...NETWORKING, ...DIALLING[platform], redoOperations: redoesByDefault },
    messaging: MESSAGING,
    heartbeat: { periodMilliseconds: 700 },
    limits: isLimited ? LIMITS : undefined,
    closePolicy: judges ? judge : undefined,
    logger: null,
    seed: clientSeed,
  };
}

/** Never stops, is patient with who asks for it, and has an opinion of some codes. */
function judge({ code, verdict }) {
  if (code === 4429 || code === 1013) return { verdict: 'next', waitMilliseconds: 60 };
  if (code === 4408) return 'same';
  if (code === 4401) return 'refresh';
  return verdict === 'stop' || verdict === 'refresh' ? 'next' : undefined;
}
