// JSON-RPC 2.0, one message in each frame, and a batch answered with a batch. What raw and most peers speak.
import { startGateway } from '../lib/track.mjs';

export const start = ({ port, methods }) =>
  startGateway(port, (socket) => {
    const send = (answer) => socket.readyState === 1 && socket.send(JSON.stringify(answer));
    socket.on('message', (data) => {
      const message = JSON.parse(data);
      if (Array.isArray(message)) answerBatch(message, methods, send);
      else answer(message, methods, send);
    });
  });

export function answer({ id, method, params }, methods, send) {
  if (id === undefined || id === null) return;
  methods.handle(method, params, (result) => send({ jsonrpc: '2.0', id, result }));
}

/** One answer when the last of them is known; what is never answered holds up the others. */
function answerBatch(messages, methods, send) {
  const asked = messages.filter(({ id }) => id !== undefined && id !== null);
  const answers = [];
  for (const message of asked)
    answer(message, methods, (one) => {
      answers.push(one);
      if (answers.length === asked.length) send(answers);
    });
}
