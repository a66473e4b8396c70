// The store: a process of its own, behind all gateways. No fault touches it.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerCalls, childConfig } from './child.mjs';
import { addCounters, noCounters, strike } from './counters.mjs';
import { Executions } from './executions.mjs';
import { LineWriter, readLines } from './lines.mjs';

const { count, rememberKeys } = childConfig();
const folder = mkdtempSync(join(tmpdir(), 'gateways-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('SIGINT', () => process.exit());

/**
 * What is known of one gateway: the counters of its ended incarnations, and of the running one.
 *
 * @type {{ past: import('./counters.mjs').Counters, now: import('./counters.mjs').Counters }[]}
 */
const gateways = Array.from({ length: count }, () => ({ past: noCounters(), now: noCounters() }));
/** @type {Map<string, Promise<number>>} resolves to the connections that were open, once a link has been read out */
const ends = new Map();
/** @type {Set<LineWriter>} */
const links = new Set();
const executions = new Executions(rememberKeys, (topic, value) => {
  for (const link of links) link.write({ topic, value });
});

const server = net.createServer((socket) => {
  const link = new LineWriter(socket);
  links.add(link);
  /** @type {{ gateway: number, incarnation: number } | undefined} */
  let from;
  const ended = new Promise((resolve) => {
    socket.on('error', () => {}); // a killed gateway's link may end with a reset
    socket.on('close', () => {
      links.delete(link);
      if (from === undefined) return resolve(0);
      const numbers = gateways[from.gateway];
      const { open } = numbers.now;
      numbers.past = addCounters(numbers.past, { ...numbers.now, open: 0 });
      numbers.now = noCounters();
      resolve(open);
    });
  });
  readLines(socket, (line) => {
    if (line.method !== undefined) {
      const answer = executions.execute({ ...line, ...from });
      link.write({ call: line.call, answer });
    } else if (line.counters !== undefined && from !== undefined) {
      gateways[from.gateway].now = line.counters;
    } else if (line.hello !== undefined) {
      from = line.hello;
      ends.set(`${line.hello.gateway} ${line.hello.incarnation}`, ended);
      link.write({ call: line.call });
    } else {
      link.write({ call: line.call }); // a barrier: everything before it has been executed
    }
  });
});
server.listen(join(folder, 'store'));
await once(server, 'listening');

answerCalls({
  path: () => join(folder, 'store'),
  journal: () => executions.journal,
  counts: () => executions.counts(),
  publish: (topic, value) => {
    for (const link of links) link.write({ topic, value });
  },
  stats() {
    const perGateway = gateways.map(({ past, now }, gateway) => ({
      ...addCounters(past, now),
      executions: executions.byGateway[gateway] ?? 0,
    }));
    return { gateways: perGateway, executions: executions.journal.length, repeats: executions.repeats };
  },
  /** Waits until all that a dead gateway had sent is executed; counts the connections that it took with it. */
  async ended(gateway, incarnation, fault) {
    const open = (await ends.get(`${gateway} ${incarnation}`)) ?? 0;
    if (fault !== undefined) strike(gateways[gateway].past, fault, 'connections', open);
    return open;
  },
});
