// A gateway that does what its path says, and keeps what it saw of its dials.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const answer = (frame) => {
  const { id, method, params } = JSON.parse(frame);
  return id === undefined
    ? undefined
    : JSON.stringify({ jsonrpc: '2.0', id, result: method === 'ping' ? 'pong' : params });
};

/** Its paths: `/status/503` refuses, `/hang` never answers, `/protocol/x` chooses x, any other opens. */
export async function startGateway(t) {
  const dials = [];
  const server = createServer((_, response) => response.writeHead(404).end());
  let chosen = false;
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => chosen });
  server.on('upgrade', (request, stream, head) => {
    const [, what, which] = request.url.split(/[/?]/);
    const dial = {
      url: request.url,
      headers: request.headers,
      ended: once(stream, 'close').then(() => Date.now()),
    };
    dials.push(dial);
    stream.on('error', () => {});
    if (what === 'status') {
      stream.end(
        `HTTP/1.1 ${which} Refused\r\nContent-Length: 6\r\nLocation: /elsewhere\r\nConnection: close\r\n\r\nsecret`,
      );
    } else if (what === 'hang') {
      stream.resume().once('end', () => stream.end());
    } else {
      chosen = what === 'protocol' ? which : false;
      sockets.handleUpgrade(request, stream, head, (socket) => {
        Object.assign(dial, { socket, closed: once(socket, 'close').then(([code]) => code) });
        socket.on('message', (data, isBinary) => {
          const frame = isBinary ? data : answer(data);
          if (frame !== undefined) socket.send(frame);
        });
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address();
  return { dials, sockets, url: (path = '/') => `ws://127.0.0.1:${port}${path}` };
}
