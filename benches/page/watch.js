// Runs before anything else in a watched page: keeps when sockets were made, opened and lost, and which timers are alive.
{
  const now = () => performance.timeOrigin + performance.now();
  const dials = [];
  const timers = new Set();

  globalThis.watched = { dials, timers: () => timers.size };

  globalThis.WebSocket = new Proxy(WebSocket, {
    construct(target, given) {
      const dial = { at: now() };
      dials.push(dial);
      const socket = new target(...given);
      socket.addEventListener('close', () => {
        dial.closedAt = now();
      });
      return socket;
    },
  });

  const { setTimeout: startTimeout, setInterval: startInterval } = globalThis;
  globalThis.setTimeout = (call, milliseconds, ...given) => {
    const run = (...args) => {
      timers.delete(id);
      call(...args);
    };
    const id = startTimeout(run, milliseconds, ...given);
    timers.add(id);
    return id;
  };
  globalThis.setInterval = (...given) => {
    const id = startInterval(...given);
    timers.add(id);
    return id;
  };
  for (const name of ['clearTimeout', 'clearInterval']) {
    const clear = globalThis[name];
    globalThis[name] = (id) => {
      timers.delete(id);
      clear(id);
    };
  }
}
