// The audit: what a client said about its operations, against the journal of what was executed.

/**
 * What became of one operation, as the client said it.
 *
 * @typedef {object} Outcome
 * @property {string | number} id the id that the test put into the params
 * @property {'read' | 'write' | 'redo write' | 'key write'} kind a write that may be redone is a 'redo write'; one with an operation key, on gateways that remember keys, a 'key write'
 * @property {'ok' | 'error' | 'pending'} outcome pending: it never settled
 * @property {string} [code] of the error
 * @property {'no' | 'maybe' | 'yes'} [completion] of the error
 * @property {number | boolean} [handedToSocket] the attempts that were handed to a socket; not judged when left out
 */

/** @typedef {{ count: number, ids: (string | number)[] }} Finding */

/** How many offending ids are listed. */
const LISTED = 20;

/**
 * The findings that must be 0, each with the operations that it accuses. `runs`: how often the journal has the id.
 *
 * @type {Record<string, (said: Outcome, runs: number) => boolean>}
 */
const ACCUSATIONS = {
  executedTwiceWithoutRedo: ({ kind }, runs) => kind === 'write' && runs > 1,
  executedTwiceDespiteKey: ({ kind }, runs) => kind === 'key write' && runs > 1,
  saidNoButExecuted: ({ outcome, completion }, runs) =>
    outcome === 'error' && completion === 'no' && runs > 0,
  saidMaybeThoughNeverSent: ({ outcome, completion, handedToSocket }) =>
    outcome === 'error' &&
    completion === 'maybe' &&
    handedToSocket !== undefined &&
    Number(handedToSocket) === 0,
  saidYesButNotExecuted: ({ outcome, completion }, runs) =>
    outcome === 'error' && completion === 'yes' && runs === 0,
  saidOkButNotExecuted: ({ outcome }, runs) => outcome === 'ok' && runs === 0,
  executedThoughNeverSent: ({ handedToSocket }, runs) =>
    handedToSocket !== undefined && Number(handedToSocket) === 0 && runs > 0,
  executedMoreThanSent: ({ handedToSocket }, runs) =>
    typeof handedToSocket === 'number' && runs > handedToSocket && handedToSocket > 0,
  errorWithoutCompletion: ({ outcome, completion }) =>
    outcome === 'error' && !['no', 'maybe', 'yes'].includes(String(completion)),
  neverSettled: ({ outcome }) => outcome === 'pending',
};

/**
 * Judges outcomes by the journal.
 *
 * `findings` must all be 0 for any run. `numbers` describe the run; a test decides which of them it allows. `handed`
 * says over how many outcomes `saidMaybeThoughNeverSent` could be judged.
 *
 * @param {Iterable<Outcome>} outcomes
 * @param {Map<string, number> | Iterable<{ id: unknown }>} executed counts by id, or journal entries
 * @returns {{ clean: boolean, findings: Record<string, Finding>, numbers: Record<string, number> }}
 */
export function audit(outcomes, executed) {
  const runsOf = executed instanceof Map ? executed : countById(executed);
  const names = [...Object.keys(ACCUSATIONS), 'settledTwice', 'executedButUnknown'];
  /** @type {Record<string, Finding>} */
  const findings = Object.fromEntries(names.map((name) => [name, { count: 0, ids: [] }]));
  /** @type {Record<string, number>} */
  const numbers = {
    operations: 0,
    ok: 0,
    no: 0,
    maybe: 0,
    yes: 0,
    pending: 0,
    readsUnanswered: 0,
    redone: 0,
  };
  numbers.handed = 0;
  const accuse = (/** @type {string} */ name, /** @type {string | number} */ id) => {
    findings[name].count += 1;
    if (findings[name].ids.length < LISTED) findings[name].ids.push(id);
  };
  const known = new Set();
  for (const said of outcomes) {
    check(said);
    if (known.has(String(said.id))) {
      accuse('settledTwice', said.id);
      continue;
    }
    known.add(String(said.id));
    const runs = runsOf.get(String(said.id)) ?? 0;
    for (const [name, isGuilty] of Object.entries(ACCUSATIONS)) {
      if (isGuilty(said, runs)) accuse(name, said.id);
    }
    numbers.operations += 1;
    const kind = said.outcome === 'error' ? said.completion : said.outcome;
    if (kind !== undefined && kind in numbers) numbers[kind] += 1;
    if (said.kind === 'read' && said.outcome !== 'ok') numbers.readsUnanswered += 1;
    if (said.handedToSocket !== undefined) numbers.handed += 1;
    if (runs > 1) numbers.redone += 1;
  }
  for (const id of runsOf.keys()) if (!known.has(id)) accuse('executedButUnknown', id);
  return { clean: Object.values(findings).every(({ count }) => count === 0), findings, numbers };
}

/**
 * @param {Iterable<{ id: unknown }>} entries
 * @returns {Map<string, number>}
 */
function countById(entries) {
  const counts = new Map();
  for (const { id } of entries) {
    if (id !== null && id !== undefined) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
  }
  return counts;
}

/**
 * A mistake in a test must not pass as a clean audit.
 *
 * @param {Outcome} said
 */
function check(said) {
  const isRight =
    said !== null &&
    ['string', 'number'].includes(typeof said.id) &&
    ['read', 'write', 'redo write', 'key write'].includes(said.kind) &&
    ['ok', 'error', 'pending'].includes(said.outcome) &&
    (said.completion === undefined || ['no', 'maybe', 'yes'].includes(said.completion)) &&
    ['undefined', 'number', 'boolean'].includes(typeof said.handedToSocket);
  if (!isRight) throw new TypeError(`not an outcome: ${JSON.stringify(said)}`);
}
