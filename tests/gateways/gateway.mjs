// A gateway: a process that speaks JSON-RPC 2.0 over WebSocket and takes its faults from the parent.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { answerCalls, childConfig } from './child.mjs';
import { Connection } from './connection.mjs';
import { noCounters } from './counters.mjs';
import { Faults, isCloseCode, isReason } from './faults.mjs';
import { StoreLink } from './store_link.mjs';

const config = childConfig();
const counters = noCounters();
/** @type {Set<Connection>} */
const connections = new Set();
const link = await StoreLink.open(
  config.store,
  { gateway: config.gateway, incarnation: config.incarnation },
  counters,
  (topic, value) => {
    for (const connection of connections) connection.publish(topic, value);
  },
);
const faults = new Faults(counters, () => link.countedNow());
const { name, token, latencyMilliseconds = 0 } = config;
const host = { name, token, latencyMilliseconds, faults, counters, link };
/** @typedef {{ fault: string, request: http.IncomingMessage, socket: net.Socket, head: Buffer }} HeldDial */
/** @type {Set<HeldDial>} dials whose handshake is not answered */
const heldDials = new Set();

const webSockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: config.maxMessageBytes,
});
const handshakes = http.createServer((_request, response) => response.writeHead(426).end());
handshakes.on('upgrade', (request, stream, head) => {
  const socket = /** @type {net.Socket} */ (stream);
  socket.on('error', () => {});
  const stall = faults.at('stall');
  if (stall !== undefined && stall.dials === 'hang') return hold(stall, { request, socket, head });
  const fault = faults.at('dial');
  if (fault?.name === 'hang') return hold(fault, { request, socket, head });
  if (fault !== undefined) faults.struck(fault, 'dials');
  if (fault?.name === 'rejectUpgrade') return reject(socket, fault.status);
  const connection = accept(request, socket, head);
  if (fault?.name === 'closeAtOnce') connection?.close(fault.code, fault.reason);
  if (stall !== undefined && connection !== undefined) {
    connection.stall();
    faults.struck(stall, 'connections');
  }
});

/** @type {net.Server | undefined} */
let listener;
await listen();

async function listen() {
  listener = net.createServer((socket) => {
    counters.dials += 1;
    link.counted();
    handshakes.emit('connection', socket);
  });
  listener.listen(config.port, '127.0.0.1');
  await once(listener, 'listening');
}

/**
 * @param {import('./faults.mjs').Fault} fault
 * @param {Omit<HeldDial, 'fault'>} dial
 */
function hold(fault, dial) {
  const held = { fault: fault.name, ...dial };
  heldDials.add(held);
  dial.socket.resume(); // or it would not be seen that the client gives up
  dial.socket.on('close', () => heldDials.delete(held));
  faults.struck(fault, 'dials');
}

/**
 * Answers the handshakes that a fault had held: the client sees a late open.
 *
 * @param {string} [fault] of this fault only
 */
function release(fault) {
  for (const held of heldDials) {
    if (fault !== undefined && held.fault !== fault) continue;
    heldDials.delete(held);
    accept(held.request, held.socket, held.head);
  }
}

/**
 * @param {net.Socket} socket
 * @param {number} status
 */
function reject(socket, status) {
  const lines = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'No'}`,
    'Connection: close',
    'Content-Length: 0',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
}

/**
 * @param {http.IncomingMessage} request
 * @param {net.Socket} socket
 * @param {Buffer} head
 * @returns {Connection | undefined} undefined when the request was no good handshake
 */
function accept(request, socket, head) {
  /** @type {Connection | undefined} */
  let made;
  counters.open += 1; // before the client can know of it, and somebody kill this process
  counters.opened += 1;
  link.countedNow();
  webSockets.handleUpgrade(request, socket, head, (ws) => {
    const connection = new Connection(host, ws, socket, counters.opened);
    made = connection;
    connections.add(connection);
    ws.on('close', () => {
      connections.delete(connection);
      counters.open -= 1;
      link.counted();
    });
  });
  if (made === undefined) {
    counters.open -= 1;
    counters.opened -= 1;
    link.counted();
  }
  return made;
}

/** Ends a stall. */
function resume() {
  faults.clear('stall');
  for (const connection of connections) connection.resume();
  release('stall');
}

/**
 * @param {string} fault
 * @param {(connection: Connection) => unknown} harm
 */
async function strikeAll(fault, harm) {
  const struck = [...connections];
  faults.struck(fault, 'connections', struck.length);
  await Promise.all(struck.map(harm));
  return { connections: struck.length };
}

answerCalls({
  setFault: (fault) => faults.set(fault),
  /** Closes the port, so that the system refuses dials; the process and its connections live. */
  async refuse() {
    listener?.close();
    listener = undefined;
  },
  closeAll(code, reason) {
    if (!isCloseCode(code) || !isReason(reason))
      throw new Error(`closeAll: wrong code ${code} or reason ${reason}`);
    return strikeAll('closeAll', (connection) => connection.close(code, reason));
  },
  dropAll(how) {
    if (!['end', 'reset'].includes(how)) throw new Error(`dropAll: wrong how ${how}`);
    return strikeAll('dropAll', (connection) => connection.drop(how));
  },
  stall(fault) {
    faults.set(fault);
    return strikeAll('stall', (connection) => connection.stall());
  },
  resume,
  async heal() {
    faults.clearAll();
    resume();
    release();
    if (listener === undefined) await listen();
  },
  async barrier() {
    if (latencyMilliseconds > 0) await after(latencyMilliseconds); // what has been read may not be executed yet
    await link.barrier();
  },
  state: () => ({
    listening: listener !== undefined,
    faults: faults.names,
    subscriptions: [...connections].flatMap((connection) =>
      [...connection.subscriptions].map(([subscription, topic]) => ({
        socket: connection.number,
        subscription,
        topic,
      })),
    ),
  }),
});
