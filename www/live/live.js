// The client of the page, with a record of what it says. Nothing here draws.

import { ClusterClient, init } from '../regate/index.web.js';
import { Ring } from './ring.js';
import { SocketWatch } from './watched_socket.js';
import { Workload } from './workload.js';

const EVENTS = ['statechange', 'dial', 'dialfailed', 'waiting', 'protocolerror'];

/** The position that ends a gateway's name in events. */
export const positionOf = (gateway) => Number(/\[(\d+)\]$/.exec(gateway)?.[1]);

export class Live {
  watch = new SocketWatch();
  events = new Ring(200);
  log = new Ring(200);
  /** Called with each event and each line of the log. */
  onEvent = () => {};
  /** For each gateway what its lane shows: dials and connections as spans, the last ones. */
  lanes;

  static async open(options) {
    await init();
    return new Live(options);
  }

  /** @param {{ urls: string[], networking?: object, keep?: 'all' | 'counts', perSecond?: number }} options */
  constructor({ urls, networking, keep, perSecond }) {
    this.lanes = urls.map(() => new Ring(300));
    const log = (level) => (text) => this.#note(this.log, { type: 'log', level, text });
    this.client = new ClusterClient({
      gateways: urls,
      networking,
      logger: { error: log('error'), info: log('info'), warn: log('warn') },
      WebSocket: this.watch.socketClass(),
    });
    for (const type of EVENTS) {
      this.client.addEventListener(type, ({ detail }) => {
        this.#note(this.events, { type, ...detail });
        this.#mark(type, detail);
      });
    }
    this.workload = new Workload(this.client, this.watch, { keep, perSecond });
  }

  #note(ring, entry) {
    this.onEvent(ring.push({ at: performance.now(), ...entry }));
  }

  #mark(type, { gateway, to, cause, closeCode, reason }) {
    const lane = this.lanes[positionOf(gateway)];
    if (lane === undefined) {
      if (to === 'closed') this.#endSpans();
      return;
    }
    const now = performance.now();
    const span = lane.last;
    if (type === 'dial') lane.push({ from: now, to: null, kind: 'dial' });
    else if (type === 'dialfailed') Object.assign(span, { to: now, kind: 'failed', cause, closeCode });
    else if (type === 'statechange' && to === 'connected') {
      if (span?.to === null) span.to = now;
      lane.push({ from: now, to: null, kind: 'open' });
    } else if (type === 'statechange' && span?.to === null) {
      Object.assign(span, { to: now, cause: reason, closeCode });
    }
  }

  #endSpans() {
    for (const lane of this.lanes) if (lane.last?.to === null) lane.last.to = performance.now();
  }
}
