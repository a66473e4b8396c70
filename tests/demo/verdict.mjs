// Whether a run may be called a success. Pure, so that it is tested by runs that went wrong.

const LEAST_OPERATIONS = 1000;
const IDS_NAMED = 10;

/** What an audit must have looked for and not found, in words. */
export const FINDINGS = {
  executedTwiceWithoutRedo: 'executed twice without redo',
  saidNoButExecuted: 'said "no" but executed',
  saidMaybeThoughNeverSent: 'said "maybe", never handed to a socket',
  saidYesButNotExecuted: 'said "yes" but not executed',
  saidOkButNotExecuted: 'success reported, not executed',
  executedThoughNeverSent: 'executed, never handed to a socket',
  executedMoreThanSent: 'executed more often than handed over',
  executedButUnknown: 'executed, of no known operation',
  errorWithoutCompletion: 'failed without a completion',
  neverSettled: 'never settled',
  settledTwice: 'settled twice',
};

/**
 * What a fault did, as the cluster counted it.
 *
 * @typedef {{ what: string, effect: number }} Fault
 */

/**
 * Everything that keeps a run from being a success, in words; empty when it is one.
 *
 * @param {object} run
 * @param {import('../gateways/journal.mjs').Outcome[]} run.outcomes
 * @param {Awaited<ReturnType<import('../gateways/cluster.mjs').Cluster['audit']>>} run.audit
 * @param {Fault[]} run.faults
 * @param {string[]} run.troubles what went wrong in the page and nobody caught
 * @param {number} [run.leastOperations]
 * @returns {string[]}
 */
export function problemsOf({ outcomes, audit, faults, troubles, leastOperations = LEAST_OPERATIONS }) {
  const problems = [...troubles];
  if (outcomes.length < leastOperations) {
    problems.push(`${outcomes.length} operations were made, at least ${leastOperations} are wanted`);
  }
  const unanswered = outcomes.filter(({ kind, outcome }) => kind === 'read' && outcome !== 'ok');
  if (unanswered.length > 0) problems.push(`reads not answered: ${named(unanswered.map(({ id }) => id))}`);
  if (faults.length === 0) problems.push('no fault was set');
  for (const { what, effect } of faults) {
    if (!(effect > 0)) problems.push(`${what}: had no effect`);
  }
  for (const [name, words] of Object.entries(FINDINGS)) {
    const finding = audit.findings[name];
    if (finding === undefined) problems.push(`${words}: the audit did not look for it`);
    else if (finding.count > 0) problems.push(`${words}: ${named(finding.ids, finding.count)}`);
  }
  if (!audit.clean && problems.length === 0) problems.push('the audit is not clean');
  if (audit.numbers.handed !== audit.numbers.operations) {
    const { handed, operations } = audit.numbers;
    problems.push(
      `sockets were watched for ${handed} of ${operations} operations: "maybe" could not be judged`,
    );
  }
  return problems;
}

function named(ids, count = ids.length) {
  const more = count > IDS_NAMED ? ', …' : '';
  return `${count} (${ids.slice(0, IDS_NAMED).join(', ')}${more})`;
}
