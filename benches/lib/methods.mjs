// What every gateway answers, whatever protocol carries it.

const OPERATION_MILLISECONDS = 20;

/** What libraries ask by themselves. */
const FIXED = { net_version: '1', eth_chainId: '0x1' };

/**
 * - `echo`: its first parameter.
 * - `hold`: the same, when the bench says `release()`.
 * - `op`: must not run twice. Counts how often each id ran, and answers after 20 ms.
 */
export function makeMethods() {
  const executed = new Map();
  let held = [];
  const methods = {
    echo: (parameter, reply) => reply(parameter ?? null),
    hold: (parameter, reply) => held.push(() => reply(parameter)),
    op({ id }, reply) {
      executed.set(id, (executed.get(id) ?? 0) + 1);
      setTimeout(reply, OPERATION_MILLISECONDS, id);
    },
  };
  return {
    executed,
    held: () => held.length,
    release() {
      const all = held;
      held = [];
      for (const reply of all) reply();
      return all.length;
    },
    /** `reply` may be called late, or never. */
    handle(method, params, reply) {
      const parameter = Array.isArray(params) ? params[0] : params;
      if (Object.hasOwn(methods, method)) methods[method](parameter, reply);
      else reply(FIXED[method] ?? null);
    },
  };
}
