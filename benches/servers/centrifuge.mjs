// The few lines of Centrifugo's JSON protocol that `rpc` needs; Centrifugo itself is no package of Debian.
import { startGateway } from '../lib/track.mjs';

export const start = ({ port, methods }) =>
  startGateway(port, (socket) => {
    const send = (reply) => socket.readyState === 1 && socket.send(JSON.stringify(reply));
    socket.on('message', (data) => {
      for (const line of data.toString().split('\n').filter(Boolean)) {
        const { id, connect, rpc } = JSON.parse(line);
        if (connect) send({ id, connect: { client: 'c', version: 'bench 0' } });
        else if (rpc) methods.handle(rpc.method, rpc.data, (result) => send({ id, rpc: { data: result } }));
      }
    });
  });
