// The limit in JavaScript: one WebSocket, a Map of what is pending, JSON. It does not come back.
export const meta = {
  pkg: '(by hand)',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'none',
  reconnects: false,
  timeouts: 'none',
};

export function connect(urls) {
  const socket = new WebSocket(urls[0]);
  const pending = new Map();
  let id = 0;
  let listener = () => {};
  let state;
  const set = (to) => {
    state = to;
    listener(to, socket.url);
  };
  socket.onopen = () => set('open');
  socket.onclose = () => {
    const all = [...pending.values()];
    pending.clear();
    for (const { reject } of all) reject(new Error('closed'));
    set('failed');
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    const asked = pending.get(message.id);
    if (!asked) return;
    pending.delete(message.id);
    if (message.error) asked.reject(message.error);
    else asked.resolve(message.result);
  };
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== 1) {
          reject(new Error('not open'));
          return;
        }
        id += 1;
        pending.set(id, { resolve, reject });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    onState(listens) {
      listener = listens;
      if (state) listens(state, socket.url);
    },
    close: () => socket.close(),
  };
}
