// Whether a run kept every promise. Pure, so that it is tested by runs that went wrong.

import { FINDINGS } from '../demo/verdict.mjs';

const IDS_NAMED = 10;

/** What is wanted of ten minutes; a shorter run owes its share. */
export const QUOTAS = { operations: 100_000, faults: 1000, strikes: 20, seconds: 600 };
/** A run in which nearly nothing is answered, or nothing is lost in flight, proves nothing. */
const LEAST_ANSWERED = 0.5;
const LEAST_MAYBE = 0.001;
/** Of these it is wanted that they are answered. */
const LEAST_WITH_TIME = 0.25;

const AUDITED = { ...FINDINGS, executedTwiceDespiteKey: 'executed twice despite an operation key' };

/** What a client may never be seen to do, in words. */
export const ACCUSATIONS = {
  settledTwice: 'told twice of one operation',
  sentAfterSettled: 'sent after it was settled',
  sentAfterClose: 'sent on a socket that was closed',
  numberUsedTwice: 'one number for two frames',
  boundButMoved: 'bound, but sent on a second connection',
  dialledOffTheList: 'dialled a gateway that is not on the list',
  heardTwice: 'one notification heard twice',
  heardAfterUnsubscribe: 'heard after it was unsubscribed',
  endedByItself: 'subscription ended by itself',
  wrongState: 'a change of state that there is not',
  twoCompletions: 'the error and completionOf differ',
  strangeError: 'an error of no known kind',
};

/**
 * @typedef {import('../gateways/journal.mjs').Outcome & { method: string, mustAnswer: boolean, closeCode?: number, cause?: unknown }} Outcome
 */

/** After these codes nothing that was in flight is sent again, whatever it is. */
const POISONED = [1003, 1007, 1009];

/**
 * Why an operation that had time may have failed after all; each excuse is checked by what the gateways did.
 *
 * @type {Record<string, (said: Outcome) => boolean>}
 */
const EXCUSES = {
  poisoned: ({ code, closeCode }) =>
    (code === 'CONNECTION_LOST' && POISONED.includes(Number(closeCode))) || code === 'MESSAGE_TOO_BIG',
  forged: ({ code, cause }) =>
    code === 'PROTOCOL_ERROR' || (code === 'REMOTE_ERROR' && (cause === 1 || cause === 'a text')),
  limited: ({ code, completion }) => code === 'OVERLOADED' && completion === 'no',
};

/**
 * The operations that had time and were not answered, but for those with an excuse.
 *
 * @param {Outcome[]} outcomes
 * @param {{ limited: (id: string) => boolean }} world which clients have limits
 */
export function unanswered(outcomes, { limited }) {
  const excused = { poisoned: 0, forged: 0, limited: 0 };
  const guilty = outcomes.filter((said) => {
    if (!said.mustAnswer || said.outcome !== 'error') return false;
    const [excuse] = Object.entries(EXCUSES).find(([, holds]) => holds(said)) ?? [];
    if (excuse === undefined || (excuse === 'limited' && !limited(String(said.id)))) return true;
    excused[excuse] += 1;
    return false;
  });
  return { guilty, excused };
}

/**
 * One thing that was to be so.
 *
 * @typedef {{ check: string, wanted: string, found: string, passed: boolean }} Check
 */

/**
 * @param {Pick<Awaited<ReturnType<typeof import('./run.mjs').runChaos>>, 'seconds' | 'plan' | 'misses' | 'reports' | 'outcomes' | 'audit' | 'strikes' | 'settled' | 'subscriptions' | 'troubles'>} run
 * @returns {Check[]}
 */
export function checksOf(run) {
  return [
    ...audited(run),
    ...accused(run),
    ...answered(run),
    ...subscribed(run),
    ...ended(run),
    ...quotas(run),
  ];
}

function audited({ audit, outcomes }) {
  const { handed, operations } = audit.numbers;
  return [
    ...Object.entries(AUDITED).map(([name, words]) => {
      const finding = audit.findings[name];
      return finding === undefined ? check(words, 0, 'not looked for', false) : none(words, finding);
    }),
    check(
      'sockets watched for',
      outcomes.length,
      handed,
      handed === operations && operations === outcomes.length,
    ),
  ];
}

function accused({ reports }) {
  return Object.entries(ACCUSATIONS).map(([name, words]) => {
    const all = reports.map(({ accused }) => accused[name]).filter((one) => one !== undefined);
    return none(words, { count: sum(all, 'count'), ids: all.flatMap(({ ids }) => ids) });
  });
}

function answered({ outcomes, reports, strikes }) {
  const withLimits = reports.filter(({ isLimited }) => isLimited).map(({ name }) => `${name}-`);
  const limited = (/** @type {string} */ id) => withLimits.some((start) => id.startsWith(start));
  const atMost = Math.ceil(outcomes.filter(({ id }) => limited(id)).length / 2);
  const { guilty, excused } = unanswered(outcomes, { limited });
  const texts = guilty.map(({ id, code, kind }) => `${id} ${kind} ${code}`);
  const rubbish = strikes.find(({ kind }) => kind === 'answerRubbish')?.struck ?? 0;
  return [
    atLeast(
      'operations that had time',
      Math.ceil(outcomes.length * LEAST_WITH_TIME),
      outcomes.filter(({ mustAnswer }) => mustAnswer).length,
    ),
    none('had time and was not answered', { count: guilty.length, ids: texts }),
    check('excused by forged answers', `at most ${rubbish}`, excused.forged, excused.forged <= rubbish),
    check(
      'excused by close codes 1003, 1007, 1009',
      'few',
      excused.poisoned,
      isFew(excused.poisoned, outcomes),
    ),
    check('excused by limits', `at most ${atMost}`, excused.limited, excused.limited <= atMost),
  ];
}

const isFew = (/** @type {number} */ count, /** @type {any[]} */ outcomes) => count <= outcomes.length / 50;

function subscribed({ subscriptions: { wanted, found, heard } }) {
  const times = (/** @type {string} */ topic) => found.filter((one) => one.topic === topic).length;
  const wrong = wanted.filter((topic) => times(topic) !== 1).map((topic) => `${topic} ${times(topic)} times`);
  const orphans = found.filter(({ topic }) => !wanted.includes(topic)).map(({ topic }) => topic);
  const unheard = heard.filter((/** @type {number} */ count) => count !== 1);
  return [
    check('live subscriptions', 'some', wanted.length, wanted.length > 0),
    none('live, not exactly once at the gateways', { count: wrong.length, ids: wrong }),
    none('given up, still at a gateway', { count: orphans.length, ids: orphans }),
    check('heard exactly once what was published once', wanted.length, heard.length - unheard.length),
  ];
}

function ended({ settled, reports, troubles }) {
  const states = settled.filter(({ state, isLive }) => state !== 'connected' || !isLive);
  const unbalanced = reports.filter(({ stats }) => stats.pendingOperations + stats.inFlightOperations !== 0);
  return [
    check('clients connected and subscribed at the end', settled.length, settled.length - states.length),
    none('clients that still count open operations', {
      count: unbalanced.length,
      ids: unbalanced.map(({ name }) => name),
    }),
    none('unhandled rejections, uncaught errors', { count: troubles.length, ids: troubles }),
  ];
}

function quotas({ seconds, plan, misses, outcomes, audit, strikes }) {
  const share = Math.min(1, seconds / QUOTAS.seconds);
  const least = {
    operations: Math.ceil(QUOTAS.operations * share),
    faults: Math.ceil(QUOTAS.faults * share),
    strikes: Math.max(1, Math.floor(QUOTAS.strikes * share)),
  };
  const { ok, maybe } = audit.numbers;
  const rare = strikes.filter(({ struck }) => !(struck >= least.strikes));
  return [
    atLeast('operations', least.operations, outcomes.length),
    atLeast('faults', least.faults, plan.length - misses),
    check(
      `kinds of faults that struck at least ${least.strikes} times`,
      strikes.length,
      strikes.length - rare.length,
      rare.length === 0,
      rare.map(({ words, struck }) => `${words}: ${struck}`),
    ),
    atLeast('operations answered', Math.ceil(outcomes.length * LEAST_ANSWERED), ok),
    atLeast('operations that end in "maybe"', Math.ceil(outcomes.length * LEAST_MAYBE), maybe),
  ];
}

const sum = (list, name) => list.reduce((total, one) => total + one[name], 0);

const none = (words, { count, ids }) => check(words, 0, count, count === 0, ids);

const atLeast = (words, least, found) => check(words, `at least ${least}`, found, found >= least);

function check(words, wanted, found, passed = found === wanted, ids = []) {
  const more = ids.length > IDS_NAMED ? ', …' : '';
  const named = passed || ids.length === 0 ? '' : ` (${ids.slice(0, IDS_NAMED).join(', ')}${more})`;
  return { check: words, wanted: String(wanted), found: `${found}${named}`, passed };
}
