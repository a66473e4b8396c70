// `make interop`: libraries and servers of others, through kills of their gateways, one line for each.
//   node tests/interop/interop.mjs                       all of them, 20 kills each
//   node tests/interop/interop.mjs --only mqtt,graphql   some of them
//   KILLS=3 node tests/interop/interop.mjs               fewer kills
import WebSocket from 'ws';
import { run } from '../demo/lifetime.mjs';
import { Terminal } from '../demo/terminal.mjs';
import { Ports } from '../gateways/port.mjs';
import { ready } from '../package/support/installed.mjs';
import { proveGanache } from './ganache.mjs';
import { proveGraphql } from './graphql.mjs';
import { proveMqtt } from './mqtt.mjs';

const KILLS = 20;
const LIMIT_MILLISECONDS = 15 * 60 * 1000;

const PROOFS = {
  mqtt: ['MQTT.js, mosquitto', proveMqtt],
  graphql: ['graphql-ws', proveGraphql],
  ganache: ['ClusterClient, ganache', proveGanache],
};

/** The platform's sockets, counted, and the options that make them so. */
function countedLines() {
  const made = [];
  class Counted extends WebSocket {
    constructor(...given) {
      super(...given);
      made.push(this);
    }
  }
  return {
    made: () => made.length,
    open: () => made.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
    // Steady sooner than the next kill comes, so that each loss is that of a steady connection.
    options: { WebSocket: Counted, logger: null, networking: { steadyMilliseconds: 200 } },
  };
}

async function main(life) {
  const at = process.argv.indexOf('--only');
  const chosen = at < 0 ? Object.keys(PROOFS) : (process.argv[at + 1] ?? '').split(',');
  const unknown = chosen.filter((name) => !Object.hasOwn(PROOFS, name));
  if (unknown.length > 0) {
    process.stderr.write(`no proof "${unknown.join(', ')}"; there are ${Object.keys(PROOFS).join(', ')}\n`);
    return 2;
  }
  const kills = Number(process.env.KILLS || KILLS);
  const terminal = new Terminal();
  const ports = new Ports();
  await ports.open();
  life.defer(() => ports.close());
  const { ClusterClient, GatewaySocket } = await ready();
  let failed = 0;
  for (const name of chosen) {
    const [title, prove] = PROOFS[name];
    const progress = (fraction) => terminal.progress(fraction, title);
    const world = { life, ports, ClusterClient, GatewaySocket, lines: countedLines(), kills, progress };
    const began = performance.now();
    const { numbers, passed } = await prove(world).catch((error) => ({
      numbers: error.stack,
      passed: false,
    }));
    terminal.endProgress();
    if (!passed) failed += 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    terminal.line(`${passed ? 'ok  ' : 'FAIL'} ${title.padEnd(22)} ${seconds} s: ${numbers}`);
  }
  terminal.line(`${chosen.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

await run(main, { limitMilliseconds: LIMIT_MILLISECONDS });
