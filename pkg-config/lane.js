// What the sockets of one class go round the gateways with.

import { checkBoolean, checkObject } from './arguments.js';
import { makeCore } from './core.js';
import { RegateError } from './error.js';
import { CLOSE, CLOSE_WHEN_DONE, CONNECT, FAILURES, GATEWAY, TICK, WOKEN } from './events.js';
import { judge } from './judge.js';
import { Lister } from './lister.js';
import { isLine, makeLog } from './log.js';
import { failuresOf, nextNotice } from './notice.js';
import { ASKS_FOR_EACH } from './options.js';
import { Patience, patient } from './patience.js';
import { report } from './report.js';
import { listenForWakes } from './wake.js';
import { checked, isReady } from './wasm.js';

const nothing = () => {};

const CONNECTING = 0;
const OPEN = 1;

/** Options of a client that mean nothing to a socket. */
const OF_CLIENTS =
  /^((batch|codec|gateways|heartbeat|messaging|session)(\.|$)|limits\.max(Message|InFlight)|networking\.(redo|session))/;

const GROUPS = ['limits', 'networking'];

/** What `limits` are by default; the core has the same. */
const MOST_FRAMES = 10_000;
const MOST_BYTES = 16_777_216;

/** Marks our own classes, which may be put in the platform's place. */
export const OURS = Symbol('regate');
let platform;

/** Keeps the platform's own class, as ours may take its place. */
function keepPlatform() {
  if (!globalThis.WebSocket?.[OURS]) platform = globalThis.WebSocket;
}
keepPlatform();

const isGroup = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The names of options, those of the groups dotted. */
const namesOf = (options) => [
  ...Object.keys(options),
  ...GROUPS.flatMap((group) =>
    isGroup(options[group]) ? Object.keys(options[group]).map((name) => `${group}.${name}`) : [],
  ),
];

/** A list as it stands now, whatever becomes of it. */
const copyOf = (list) =>
  Array.isArray(list)
    ? checked(() => list.map((each) => (each?.url === undefined ? each : { ...each })))
    : list;

/** The gateways and options of a class, and the lanes on which no socket is. */
export class Ring {
  /** With giving up, where the core does not keep a wait for the next socket. */
  patience = new Patience();
  #init;
  #resting = [];

  constructor(init, gateways, options = {}) {
    checkObject(options);
    if (Array.isArray(options)) throw RegateError.ofOption(['options', options, 'object']);
    keepPlatform();
    const { buffer = false, reconnect = false, ...rest } = options;
    if (rest.protocols !== undefined) rest.protocols = copyOf(rest.protocols);
    for (const group of GROUPS) if (isGroup(rest[group])) rest[group] = checked(() => ({ ...rest[group] }));
    this.buffers = checkBoolean('buffer', buffer);
    this.comesBack = checkBoolean('reconnect', reconnect);
    for (const name of namesOf(rest)) {
      if (OF_CLIENTS.test(name)) throw RegateError.ofOption([name, undefined, 'unknown']);
    }
    if (rest.WebSocket !== undefined && typeof rest.WebSocket !== 'function')
      throw RegateError.ofOption(['WebSocket', rest.WebSocket, 'constructor']);
    const limit = (name) => rest.limits?.[name] ?? rest[`limits.${name}`];
    this.mostFrames = limit('maxPendingOperations') ?? MOST_FRAMES;
    this.mostBytes = limit('maxBufferedBytes') ?? MOST_BYTES;
    this.#init = init;
    this.gateways = copyOf(gateways);
    this.options = rest;
    if (isReady()) this.rest(new Lane(this)); // so that a wrong option is an error at once
  }

  /** The lane whose socket ended last; another one where every lane has a socket. */
  async lane() {
    await this.patience.turn();
    await this.#init();
    this.Platform = this.options.WebSocket ?? (await findPlatform());
    return this.#resting.pop() ?? new Lane(this);
  }

  rest(lane) {
    this.#resting.push(lane);
  }
}

/** One way round the gateways. Sockets follow each other on it, each where the last one stopped. */
export class Lane {
  #ring;
  #core;
  #log;
  #closePolicy;
  #holder; // of the socket that is on it
  #line; // the platform's socket that opened last
  #dials = []; // those that may still open
  #isOpen = false;
  #erred = false;
  #loss;
  #lister;
  #endWakes = nothing;
  #draining = false;
  #whileUsed = {}; // how the core dials while there is a socket
  #host = {
    ear: (socket) => (event) => this.#core.heard(socket) && this.#holder?.message(event.data),
    drain: () => this.#drain(),
    list: () => this.#lister.ask(),
    judge: (...failure) => this.#judge(...failure),
  };

  constructor(ring) {
    const { closePolicy = nothing, logger } = ring.options;
    const options = {
      ...ring.options,
      closePolicy,
      gateways: ring.gateways,
      heartbeat: { periodMilliseconds: 0 }, // what would be a ping is the business of the library
      WebSocket: lineClass(this.#whileUsed),
    };
    this.#ring = ring;
    const { core, listOf } = makeCore(options, ring.comesBack ? 0 : ASKS_FOR_EACH);
    this.#core = core;
    this.#lister = new Lister(core, ring.gateways, {
      read: listOf,
      told: () => this.#drain(),
      failed: nothing,
    });
    this.#closePolicy = closePolicy;
    this.#log = makeLog(logger);
  }

  get gateway() {
    return this.#core.tell(GATEWAY);
  }

  /** Takes on a socket: goes round until it is open. */
  begin(holder) {
    const { Platform } = this.#ring;
    this.#whileUsed.dial = (url, protocols) => this.#dial(Platform, url, protocols);
    this.#holder = holder;
    this.#loss = undefined;
    this.#endWakes = listenForWakes((kind) => {
      // A page that is put away takes its sockets with it; only one that comes back is shown again.
      if (kind !== WOKEN && !this.#ring.comesBack) return;
      this.#tell(kind);
      this.#drain();
    });
    this.#tell(CONNECT);
    this.#drain();
    this.#tell(TICK);
    this.#drain();
  }

  /** The socket leaves; `hangUp` is what it does with the line. Where its work `isDone` nobody failed. */
  leave(hangUp, isDone) {
    this.#holder = undefined;
    try {
      hangUp();
    } finally {
      this.#tell(isDone ? CLOSE_WHEN_DONE : CLOSE);
      this.#drain();
      this.#free();
    }
  }

  /** The line was found not to be open. */
  doubt() {
    this.#core.notify('', 0);
    this.#drain();
  }

  #tell(event) {
    this.#core.handle(this.#host, event, 0);
  }

  #free() {
    this.#whileUsed.dial = undefined;
    this.#endWakes();
    this.#ring.rest(this);
  }

  #dial(Platform, url, own) {
    const protocols = own ?? this.#holder?.protocols;
    // An argument that is there but undefined is the protocol "undefined".
    const line = protocols === undefined ? new Platform(url) : new Platform(url, protocols);
    this.#dials = [...this.#dials.filter(({ readyState }) => readyState === CONNECTING), line];
    line.addEventListener('error', () => {
      if (line === this.#line) this.#erred = true;
    });
    return line;
  }

  #judge(gateway, code, reason, ...more) {
    if (this.#isOpen) {
      const isClean = code >= 0 && code !== 1006;
      const said = isClean ? { code, reason } : { code: 1006, reason: '' };
      this.#loss ??= { ...said, wasClean: isClean, erred: this.#erred };
    }
    return judge(this.#closePolicy, gateway, code, reason, ...more);
  }

  #drain() {
    if (this.#draining) return;
    this.#draining = true;
    for (let notice = nextNotice(this.#core); notice !== undefined; notice = nextNotice(this.#core)) {
      try {
        if (notice.kind === 'statechange') this.#changeState(notice);
        else if (isLine(notice)) this.#log.line(notice);
      } catch (error) {
        report(error); // a fault of what the application handed in: the next notice is none the worse
      }
    }
    this.#draining = false;
  }

  #changeState({ from, to, reason }) {
    const holder = this.#holder;
    this.#isOpen = to === 'connected';
    if (holder === undefined) return;
    if (to === 'connected') {
      this.#line = this.#dials.find(({ readyState }) => readyState === OPEN);
      this.#dials = [];
      this.#erred = false;
      this.#ring.patience.succeeded();
      holder.opened(this.#line, this.gateway);
    } else if (from === 'connected') {
      this.#loss ??= { code: 1006, reason: '', wasClean: false, erred: this.#erred };
    }
    if (to === 'reconnecting' && this.#ring.comesBack) holder.lost(this.#takeLoss());
    if (to === 'closed') {
      this.#holder = undefined;
      this.#free(); // before the library hears of it, which may want another socket at once
      holder.closed(this.#takeLoss() ?? this.#giveUp(reason));
    }
  }

  #takeLoss() {
    const loss = this.#loss;
    this.#loss = undefined;
    return loss;
  }

  #giveUp(reason) {
    if (this.#ring.comesBack) this.#ring.patience.failed();
    const failures = failuresOf(this.#core.tell(FAILURES));
    const error = new RegateError(reason, {
      failures,
      cause: this.#lister.error ?? this.#ring.options.WebSocket?.headersError,
    });
    return { code: 1006, reason: '', wasClean: false, erred: true, error };
  }
}

/**
 * What the core makes its sockets of, and keeps: so nothing here leads to a lane on which no socket is, or nobody
 * could collect it. What `new` gives is the platform's socket.
 */
const lineClass = (used) =>
  function Line(...given) {
    return used.dial(...given);
  };

const findPlatform = /* @__PURE__ */ patient(() => {
  keepPlatform();
  if (platform === undefined) throw new RegateError('NO_WEBSOCKET');
  return platform;
});
