// Reads from the output of a test runner how many tests passed and failed.

/** For each kind of runner: its output to `{ name: { passed, failed } }`; the name '' is the step's own. */
export const counts = {
  /** No count of its own: it passes as a whole or fails as a whole. */
  whole: (_output, ok) => ({ '': { passed: ok ? 1 : 0, failed: ok ? 0 : 1 } }),

  /** `cargo test`, natively or on wasm; a target with a runner of its own (harness = false) is counted under its name. */
  cargo(output) {
    const found = {};
    let target = '';
    for (const line of output.split('\n')) {
      target = /^\s*Running (?:unittests )?\S*?([\w-]+)(?:\/main)?\.rs /.exec(line)?.[1] ?? target;
      const standard = /^test result: \w+\. (\d+) passed; (\d+) failed;/.exec(line);
      if (standard) add(found, '', standard);
      else add(found, target, plainLine(line));
    }
    return found;
  },

  /** `node --test`; a cancelled test did not pass. */
  node(output) {
    const number = (word) =>
      Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? Number.NaN);
    const passed = number('pass');
    const failed = number('fail') + number('cancelled');
    return Number.isNaN(passed + failed) ? {} : { '': { passed, failed } };
  },

  /** The line `N passed, N failed` by itself, `, N skipped` allowed behind it. */
  plain(output) {
    const found = {};
    for (const line of output.split('\n')) add(found, '', plainLine(line));
    return found;
  },
};

function plainLine(line) {
  return /^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$/.exec(line.trim());
}

function add(found, name, match) {
  if (!match) return;
  found[name] ??= { passed: 0, failed: 0 };
  found[name].passed += Number(match[1]);
  found[name].failed += Number(match[2]);
}
