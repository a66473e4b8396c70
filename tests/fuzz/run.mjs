// One property for so long or so many runs, wherever this is loaded.
import fc from 'fast-check';
import { framesProperty } from './frames.mjs';
import { callProperty, clientProperty } from './options.mjs';

/** A run that takes longer is never going to end. */
const MOST_MILLISECONDS = 10_000;
const properties = { calls: callProperty, frames: framesProperty, options: clientProperty };

export const names = Object.keys(properties);

/** Says how many runs there were, and what broke, with the seed and path that break it again. */
export async function run(name, regate, { runs, milliseconds, seed, path }) {
  const details = await fc.check(properties[name](fc, regate), {
    includeErrorInReport: true,
    timeout: MOST_MILLISECONDS,
    numRuns: runs ?? Number.MAX_SAFE_INTEGER,
    ...(milliseconds && { interruptAfterTimeLimit: milliseconds }),
    ...(seed !== undefined && { seed }),
    ...(path && { path }),
  });
  return { runs: details.numRuns, seed: details.seed, broken: details.failed ? report(details) : undefined };
}

function report(details) {
  try {
    return fc.defaultReportMessage(details);
  } catch (error) {
    return `seed ${details.seed}, path ${details.counterexamplePath}: ${error}`; // a counterexample that cannot be shown
  }
}
