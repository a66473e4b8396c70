// What the proofs run in the page. It is timed here, with the page's clock, and told as milliseconds since 1970.

import { SocketWatch } from '../live/watched_socket.js';
import { Workload } from '../live/workload.js';
import { ClusterClient, init } from '../regate/index.web.js';
import { RawClient } from './raw.js';

const wallClock = (at = performance.now()) => performance.timeOrigin + at;

/** Asks one thing after the other, and notes when the answers begin to come from another gateway. */
class Asker {
  /** @type {{ name: string, at: number }[]} */
  changes = [];
  #heard = () => {};

  constructor(ask) {
    this.#run(ask);
  }

  async #run(ask) {
    for (;;) {
      try {
        const name = await ask();
        if (name !== this.changes.at(-1)?.name) {
          this.changes.push({ name, at: wallClock() });
          this.#heard();
        }
      } catch {
        // lost in flight: it is asked again
      }
    }
  }

  /** The first answer that came from another gateway than this one; waits for it. */
  async answeredByAnother(name) {
    for (;;) {
      const change = this.changes.at(-1);
      if (change !== undefined && change.name !== name) return change;
      await new Promise((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

await init();
const watch = new SocketWatch();
let asker;
let workload;
let client;
const dials = [];
const log = [];

globalThis.prove = {
  /** A client of the package that is watched. */
  async connect({ urls, networking, wait = true }) {
    const note = (text) => log.push(text);
    watch.onDial = ({ at }) => dials.push(wallClock(at));
    client = new ClusterClient({
      gateways: urls,
      networking,
      logger: { error: note, info: note, warn: note },
      WebSocket: watch.socketClass(),
    });
    workload = new Workload(client, watch, { keep: 'all' });
    const connected = client.connect();
    if (wait) await connected;
    else connected.catch(() => {});
  },

  /** Begins to ask, by the package as it is or by hand. */
  async ask(kind, urls) {
    if (kind === 'by hand') {
      const raw = new RawClient(urls);
      asker = new Asker(() => raw.request('whoami'));
    } else {
      const plain = new ClusterClient({ gateways: urls, logger: null });
      await plain.connect();
      asker = new Asker(() => plain.invoke('whoami', undefined, { readOnly: true }));
    }
    return asker.answeredByAnother(undefined);
  },

  answeredByAnother: (name) => asker.answeredByAnother(name),
  make: (kind, count, milliseconds) => workload.make(kind, count, milliseconds),
  counts: () => workload.counts,
  dials: () => dials,
  log: () => log,
  close: () => client.close(),

  /** Waits until all is settled, closes the client; what became of each, and what was in flight at each loss. */
  async end(withinMilliseconds) {
    await workload.settled(withinMilliseconds);
    const outcomes = workload.report().map(({ startedAt, settledAt, ...said }) => said);
    const lost = watch.lost.map(({ ids }) => ids);
    client.close();
    return { outcomes, lost };
  },
};
