// Debian's nats-server and a responder over plain TCP; before it, unless `direct`, a proxy whose sockets can be cut.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { freePort } from '../lib/free_port.mjs';
import { listen } from '../lib/track.mjs';

const START_LIMIT_MILLISECONDS = 5000;

export async function start({ port, methods, direct = false }) {
  const tcpPort = await freePort();
  const webPort = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'bench-nats-'));
  const settings = join(folder, 'nats.conf');
  const web = `websocket { host: "127.0.0.1", port: ${webPort}, no_tls: true }`;
  writeFileSync(settings, `host: 127.0.0.1\nport: ${tcpPort}\nmax_payload: 8388608\n${web}\n`);
  const child = spawn('nats-server', ['-c', settings], { stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const responder = await respond(tcpPort, methods);
  const proxy = direct ? undefined : await startProxy(port, webPort);
  const kill = () => {
    const cut = proxy?.kill() ?? 0;
    responder.close().catch(() => {});
    end();
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
    return cut;
  };
  return {
    port: proxy?.port ?? webPort,
    cut: () => proxy?.cut() ?? 0,

    kill,
  };
}

async function respond(port, methods) {
  const responder = await connected(port);
  for (const method of ['echo', 'hold', 'op']) {
    const callback = (_error, message) =>
      methods.handle(method, message.json(), (result) => message.respond(JSON.stringify(result ?? null)));
    responder.subscribe(method, { callback });
  }
  await responder.flush();
  return responder;
}

async function connected(port) {
  for (const began = Date.now(); ; await after(30)) {
    try {
      return await connect({ servers: `127.0.0.1:${port}`, reconnect: false });
    } catch (error) {
      if (Date.now() - began > START_LIMIT_MILLISECONDS) throw error;
    }
  }
}

function startProxy(port, webPort) {
  const server = net.createServer((outer) => {
    const inner = net.connect(webPort, '127.0.0.1').setNoDelay(true);
    outer.pipe(inner);
    inner.pipe(outer);
    outer.on('close', () => inner.destroy());
    inner.on('close', () => outer.destroy());
    inner.on('error', () => {});
  });
  return listen(server, port);
}
