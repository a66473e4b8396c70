// Servers whose sockets can be cut, and that can be killed: sockets destroyed, port closed.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

export const LARGEST_MESSAGE_BYTES = 64 << 20;

/** Has a server of `net` or `http` listen; `close` ends what runs on it. */
export async function listen(server, port = 0, close = () => {}) {
  const sockets = new Set();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    const { size } = sockets;
    for (const socket of sockets) socket.destroy();
    return size;
  };
  const kill = () => {
    close();
    server.close();
    return cut();
  };
  return { port: server.address().port, accepted: () => accepted, cut, kill };
}

/** A WebSocket server; `greet` gets each socket, `prepare` the server itself. */
export function startGateway(port, greet, prepare = () => {}) {
  const server = createServer();
  const sockets = new WebSocketServer({ server, maxPayload: LARGEST_MESSAGE_BYTES });
  prepare(sockets);
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => {});
    greet(socket, request);
  });
  return listen(server, port, () => sockets.close());
}
