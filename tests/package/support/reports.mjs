// What is reported of an application's own faults: in Node by an uncaught exception.

/** The messages of what was reported, until the test ends. */
export function reports(t) {
  const reported = [];
  const before = process.rawListeners('uncaughtException');
  const keep = (error) => reported.push(error.message);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', keep);
  t.after(() => {
    process.removeListener('uncaughtException', keep);
    for (const listener of before) process.on('uncaughtException', listener);
  });
  return reported;
}
