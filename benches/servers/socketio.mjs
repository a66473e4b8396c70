// socket.io's own server; its acknowledgements carry the answers.
import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { LARGEST_MESSAGE_BYTES, listen } from '../lib/track.mjs';

export async function start({ port, methods }) {
  const server = createServer();
  const io = new Server(server, { maxHttpBufferSize: LARGEST_MESSAGE_BYTES, cors: { origin: '*' } });
  io.on('connection', (socket) =>
    socket.on('call', (method, params, acknowledge) => methods.handle(method, params, acknowledge)),
  );
  return listen(server, port, () => io.engine.close());
}
