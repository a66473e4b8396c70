// The limit for a client that comes back: raw and the schedule 250:60000:100:5000 by hand. Each endpoint once without a wait,
// then 250 ms, 500, 1000 and so on, at most 5000, between rounds. Requests wait while it is down; what was cut off is rejected.
import { rpc, states } from './_util.js';

const FIRST_WAIT_MILLISECONDS = 250;
const LONGEST_WAIT_MILLISECONDS = 5000;

export const meta = {
  pkg: '(by hand)',
  server: 'jsonrpc',
  rpc: 'ours',
  list: 'native',
  reconnects: true,
  timeouts: 'none',
};

export function connect(urls) {
  const state = states();
  let socket;
  let next = 0;
  let tries = 0;
  let isClosed = false;
  let parked = [];
  const layer = rpc((text) => socket.send(text));
  const dial = () => {
    if (isClosed) return;
    socket = new WebSocket(urls[next++ % urls.length]);
    tries += 1;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      tries = 0;
      const waiting = parked;
      parked = [];
      for (const send of waiting) send();
      state.set('open', socket.url);
    };
    socket.onmessage = ({ data }) => layer.receive(data);
    socket.onclose = () => {
      if (hasOpened) {
        layer.rejectAll(new Error('closed'));
        state.set('closed');
      }
      dialAgain();
    };
  };
  const dialAgain = () => {
    if (tries === 0 || tries % urls.length > 0) {
      dial();
      return;
    }
    const rounds = tries / urls.length;
    setTimeout(dial, Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (rounds - 1), LONGEST_WAIT_MILLISECONDS));
  };
  dial();
  return {
    request: (method, params) =>
      socket.readyState === 1
        ? layer.request(method, params)
        : new Promise((resolve, reject) =>
            parked.push(() => layer.request(method, params).then(resolve, reject)),
          ),
    onState: state.onState,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}
