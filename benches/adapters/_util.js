// What adapters share.

/** Keeps the state of a client: 'open', 'closed' (it will try again) or 'failed' (it has given up). */
export function states() {
  let current;
  const listeners = [];
  return {
    set(state, detail) {
      current = [state, detail];
      for (const listener of listeners) listener(state, detail);
    },
    onState(listener) {
      listeners.push(listener);
      if (current) listener(...current);
    },
  };
}

/** JSON-RPC 2.0 over what only sends and receives text: for libraries that are sockets and nothing more. */
export function rpc(send) {
  const pending = new Map();
  let id = 0;
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        id += 1;
        pending.set(id, { resolve, reject });
        send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    receive(text) {
      const message = JSON.parse(text);
      const asked = pending.get(message.id);
      if (!asked) return;
      pending.delete(message.id);
      if (message.error) asked.reject(message.error);
      else asked.resolve(message.result);
    },
    rejectAll(error) {
      const all = [...pending.values()];
      pending.clear();
      for (const { reject } of all) reject(error);
    },
  };
}
