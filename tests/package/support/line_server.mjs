// A WebSocket server that does what the path and the messages of a client say.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** Orders that a client gives by a message; anything else comes back as it is. */
const ORDERS = {
  /** A close frame, without a code where there is none. */
  close: (socket, [code, ...reason]) =>
    code === undefined ? socket.close() : socket.close(Number(code), reason.join(' ')),
  /** The line is cut without a close frame. */
  cut: (socket) => socket.terminate(),
  /** The line is reset. */
  reset: (socket) => socket._socket.resetAndDestroy(),
  /** A frame with a reserved opcode, which fails the connection. */
  rubbish: (socket) => socket._socket.write(Buffer.from([0x8b, 0x00])),
};

/** Starts one on a free port; `url` is its address without a path. */
export async function startLineServer() {
  const http = createServer((_, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('second') ? 'second' : [...offered][0]),
  });
  /** Every socket that was opened, in order, and what it was asked for. */
  const opened = [];
  http.on('upgrade', (request, line, head) => {
    if (request.url.startsWith('/refuse')) return line.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    if (request.url.startsWith('/hang')) return undefined;
    sockets.handleUpgrade(request, line, head, (socket) => {
      opened.push({ url: request.url, protocols: request.headers['sec-websocket-protocol'], socket });
      socket.on('error', () => {});
      socket.on('message', (data, isBinary) => {
        const [, order, ...rest] = isBinary ? [] : String(data).split(' ');
        if (!isBinary && String(data).startsWith('please ')) ORDERS[order](socket, rest);
        else socket.send(data, { binary: isBinary });
      });
      if (request.url.startsWith('/greet')) socket.send(Buffer.from('hello'), { binary: true });
    });
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${http.address().port}`,
    opened,
    live: () => [...sockets.clients].filter((socket) => socket.readyState === 1).length,
    stop() {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      http.closeAllConnections();
    },
  };
}
