// Counts the dials at one dead gateway in each of five minutes of virtual time, of what runs in Node over a socket that fails.
import { fileURLToPath } from 'node:url';
import { virtualClock } from '../../tests/package/support/clock.mjs';
import { ready } from '../../tests/package/support/installed.mjs';
import { connectWith } from '../adapters/_regate.js';
import { connect as rawOrb } from '../adapters/raw-orb.js';

const MINUTES = 5;
const MINUTE_MILLISECONDS = 60_000;
const FAILS_AFTER_MILLISECONDS = 1;

/** How often each is dialled, minute by minute. */
export async function countDials() {
  const { ClusterClient } = await ready();
  const clients = { regate: connectWith(ClusterClient), 'raw-orb': rawOrb };
  const counts = {};
  for (const [name, connect] of Object.entries(clients)) counts[name] = await dialsOf(connect);
  return counts;
}

async function dialsOf(connect) {
  let end;
  const clock = virtualClock({
    after(restore) {
      end = restore;
    },
  });
  const began = clock.now;
  const minutes = new Array(MINUTES).fill(0);
  class FailingSocket {
    readyState = 0;

    constructor() {
      minutes[Math.floor((clock.now - began) / MINUTE_MILLISECONDS)] += 1;
      setTimeout(() => {
        this.readyState = 3;
        this.onclose?.({ type: 'close', code: 1006, reason: '' });
      }, FAILS_AFTER_MILLISECONDS);
    }

    close() {}
  }
  globalThis.WebSocket = FailingSocket;
  const client = connect(['ws://dead.example/'], { WebSocket: FailingSocket });
  await clock.advance(MINUTES * MINUTE_MILLISECONDS - 1);
  client.close();
  end();
  return minutes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const counts = await countDials();
  process.send(counts, () => process.exit(0));
}
