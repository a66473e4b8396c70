import { readJudgement } from './arguments.js';
import { report } from './report.js';

/** Asks the application what a failure means, for the core; 0 is the default. */
export function judge(closePolicy, gateway, code, reason, verdict, status) {
  try {
    const said = closePolicy({
      code: code < 0 ? null : code,
      reason: typeof reason === 'string' ? reason : '',
      status: status || null,
      gateway,
      verdict,
    });
    return readJudgement(said);
  } catch (error) {
    report(error);
    return 0;
  }
}
