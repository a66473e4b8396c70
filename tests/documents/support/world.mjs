// The world that an example runs in, a thread of its own: `a.example` and its like are gateways of a test cluster.
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import Platform from 'ws';

const { program, urls } = workerData;

/** Where `wss://a.example/ws` is in truth. */
function located(url) {
  const { hostname, protocol } = new URL(url);
  const place = 'abc'.indexOf(/^([a-c])\.example$/.exec(hostname)?.[1] ?? '?');
  if (protocol !== 'wss:' || place < 0) throw new Error(`${url} is no gateway of the examples`);
  return urls[place];
}

globalThis.WebSocket = class extends Platform {
  constructor(url) {
    super(located(url)); // without sub-protocols, as the gateways know none
  }
};
globalThis.fetch = async (url) =>
  url === '/token' ? Response.json({ token: 't' }) : new Response(`of ${new URL(url).hostname}`);

await import(program);
await new Promise((resolve) => process.stdout.write('', resolve)); // what it printed has arrived before this:
parentPort.postMessage('ran to its end');
