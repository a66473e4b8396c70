// JSON-RPC 2.0 of a gateway that answers each request of a batch by itself.
import { startGateway } from '../lib/track.mjs';
import { answer } from './jsonrpc.mjs';

export const start = ({ port, methods }) =>
  startGateway(port, (socket) => {
    const send = (one) => socket.readyState === 1 && socket.send(JSON.stringify(one));
    socket.on('message', (data) => {
      for (const message of [JSON.parse(data)].flat()) answer(message, methods, send);
    });
  });
