// The options of the clients: alike in what they speak, different in how they are used.

/** Short, so that a minute holds many lives of a connection. */
const NETWORKING = {
  connectTimeouts: '50:20000:60:500',
  readTimeouts: '300:900:20',
  connectionTimeoutMilliseconds: 800,
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
 * @param {number} seed
 */
export function optionsOf({ judges, redoesByDefault, isLimited }, seed) {
  return {
    networking: { ...NETWORKING, redoOperations: redoesByDefault },
    messaging: MESSAGING,
    heartbeat: { periodMilliseconds: 700 },
    limits: isLimited ? LIMITS : undefined,
    closePolicy: judges ? judge : undefined,
    logger: null,
    seed,
  };
}

/** Never stops, is patient with who asks for it, and has an opinion of some codes. */
function judge({ code, verdict }) {
  if (code === 4429 || code === 1013) return { verdict: 'next', waitMilliseconds: 60 };
  if (code === 4408) return 'same';
  if (code === 4401) return 'refresh';
  return verdict === 'stop' || verdict === 'refresh' ? 'next' : undefined;
}
