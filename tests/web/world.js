// What src/web runs in: a clock that stands still, sockets that do what a test says, and the package's side of the border.
import {
  CLOSE,
  CONNECT,
  DRAIN,
  FAILURES,
  HIDDEN,
  RECONNECT,
  SESSION_DONE,
  SHOWN,
  STATS,
  TICK,
  WOKEN,
} from '../../pkg-config/events.js';
import { readList } from '../../pkg-config/options.js';

/** What a client is told, by the names that tests have for it. */
const EVENTS = {
  connect: CONNECT,
  reconnect: RECONNECT,
  close: CLOSE,
  drain: DRAIN,
  tick: TICK,
  wake: WOKEN,
  hide: HIDDEN,
  show: SHOWN,
  greeted: SESSION_DONE,
};

const kinds = (value) => (value === null ? 'null' : typeof value);

/** What is looked at of a notice, by name. */
function named([kind, ...values]) {
  if (kind === 'statechange') return { kind, to: values[1] };
  if (kind === 'settled') return { kind, code: values[1], completion: values[2] };
  if (kind !== 'dialfailed') return { kind };
  const [, , cause, closeCode, status] = values;
  return { kind, cause, closeCode, status };
}

/** A socket with the interface of WebSocket and a journal of all that is done to it. */
class FakeSocket {
  readyState = 0;
  journal = [];
  sent = [];
  #set = { binaryType: 'blob', onclose: null, onerror: null, onmessage: null, onopen: null };
  #world;

  constructor(world, args) {
    this.#world = world;
    this.count = args.length;
    [this.url, this.protocols] = args;
    for (const name of Object.keys(this.#set)) {
      Object.defineProperty(this, name, {
        configurable: true,
        get: () => this.#set[name],
        set: (value) => {
          this.journal.push(`${name} ${name === 'binaryType' ? value : kinds(value)}`);
          this.#set[name] = value;
        },
      });
    }
  }

  /** Which handlers it has, by name. */
  get handlers() {
    return ['onclose', 'onerror', 'onmessage', 'onopen'].filter((name) => this.#set[name] !== null).join(' ');
  }

  get closes() {
    return this.journal.filter((line) => line.startsWith('close ')).length;
  }

  get log() {
    return this.journal.join(', ');
  }

  send(frame) {
    this.#world.happen('send', this);
    this.sent.push(frame);
  }

  close(code) {
    this.journal.push(`close ${code}`);
    if (this.readyState < 2) this.readyState = 2;
    this.#world.happen('close', this);
  }

  emit(type, fields) {
    this.#set[`on${type}`]?.({ type, target: this, ...fields });
  }

  open() {
    this.readyState = 1;
    this.emit('open');
  }

  error() {
    this.readyState = 3;
    this.emit('error');
  }

  drop(code) {
    this.readyState = 3;
    this.emit('close', { code, reason: '' });
  }

  /** As a transport does that sees how its handshake was answered. */
  refuse(status) {
    this.readyState = 3;
    this.emit('close', { code: 1006, reason: '', status });
  }

  message(data) {
    this.emit('message', { data });
  }

  /** From now on its getter of this name throws. */
  breakGetter(name) {
    Object.defineProperty(this, name, {
      get() {
        throw new Error('Cannot perform I/O on behalf of a different request.');
      },
      set() {
        throw new Error('Cannot perform I/O on behalf of a different request.');
      },
    });
  }
}

/** The world of one test. `end` gives the real one back. */
export class World {
  #core;
  #plans = new Map();
  #real = { clearTimeout, date: Date.now, now: performance.now, setTimeout };
  #timers = new Map();
  #time = 1000;
  #pulling = false;
  #greeted = 0;
  #ear = 0; // the socket of the last message
  sockets = [];
  notices = [];
  messages = [];
  asked = [];
  verdict = undefined;
  sets = 0;
  clears = 0;
  longest = 0;
  reads = 0;
  listeners = 0;
  #targets = [globalThis, globalThis.document].filter((target) => target !== undefined);

  constructor() {
    for (const target of this.#targets) this.#count(target);
    const world = this;
    this.WebSocket = function FakeWebSocket(...args) {
      const socket = new FakeSocket(world, args);
      world.sockets.push(socket);
      world.happen('construct', socket);
      return socket;
    };
    this.host = {
      frame: (operation, attempt) => `${operation}/${attempt}`,
      ear: (socket) => (event) => {
        this.#ear = socket;
        if (!this.#core.heard(socket)) return;
        this.messages.push(event.data);
        this.happen('message', this.sockets.at(-1));
      },
      drain: () => this.pull(),
      ping: (attempt) => `ping ${attempt}`,
      list: () => {
        this.asked.push('list');
        this.happen('list', this.sockets.at(-1));
      },
      greet: (socket, gateway) => {
        this.#greeted = socket;
        this.asked.push(`greet ${socket} ${gateway}`);
        this.happen('greet', this.sockets.at(-1));
      },
      judge: (gateway, code, reason, verdict, status) => {
        this.asked.push(`judge ${gateway} ${code} ${reason} ${verdict} ${status}`);
        this.happen('judge', this.sockets.at(-1));
        return this.verdict;
      },
    };
    globalThis.setTimeout = (callback, delay) => {
      this.sets += 1;
      this.longest = Math.max(this.longest, delay);
      this.#timers.set(this.sets, { at: this.#time + delay, callback });
      return this.sets;
    };
    globalThis.clearTimeout = (timer) => {
      this.clears += 1;
      this.#timers.delete(timer);
    };
    performance.now = () => {
      this.reads += 1;
      return this.#time;
    };
  }

  /** Counts who listens to a target. */
  #count(target) {
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = (...args) => {
      this.listeners += 1;
      addEventListener.apply(target, args);
    };
    target.removeEventListener = (...args) => {
      this.listeners -= 1;
      removeEventListener.apply(target, args);
    };
  }

  end() {
    for (const target of this.#targets) {
      delete target.addEventListener;
      delete target.removeEventListener;
    }
    Object.assign(globalThis, { clearTimeout: this.#real.clearTimeout, setTimeout: this.#real.setTimeout });
    delete performance.now;
    Date.now = this.#real.date;
  }

  /** Takes the client of this world, as JavaScript has it. */
  use(core) {
    this.#core = core;
  }

  /** Frees the client, as the collector does. */
  free() {
    this.#core.free();
    this.#core = undefined;
  }

  get running() {
    return this.#timers.size;
  }

  get states() {
    const states = this.notices.filter(({ kind }) => kind === 'statechange');
    return states.map(({ to }) => to).join(' ');
  }

  get failures() {
    const failures = this.notices.filter(({ kind }) => kind === 'dialfailed');
    const text = ({ cause, closeCode, status = closeCode }) => (status ? `${cause} ${status}` : cause);
    return failures.map(text).join(', ');
  }

  get questions() {
    return this.asked.join(', ');
  }

  get settled() {
    const settled = this.notices.filter(({ kind }) => kind === 'settled');
    return settled.map(({ code, completion }) => `${code ?? 'done'} ${completion ?? ''}`.trim()).join(', ');
  }

  socket(index) {
    return this.sockets.at(index);
  }

  /** Keeps no more than what runs. */
  forget() {
    this.sockets = [];
    this.notices = [];
    this.messages = [];
  }

  /** What a client is asked for, by name; the notices are pulled as the package does. */
  call(name) {
    if (this.#core === undefined) return undefined;
    let value;
    if (name in EVENTS) this.#core.handle(this.host, EVENTS[name], this.#greeted);
    else if (name === 'invoke' || name === 'invoke again') {
      value = this.#core.reserve();
      const frame = `${value}/${value}`;
      const kind = name === 'invoke' ? 0 : 1;
      this.#core.invoke(this.host, value, frame, frame.length, kind, Number.NaN, 0, undefined);
    } else if (name === 'listed') this.#core.takeList(readList(['ws://a.example', 'ws://b.example']), false);
    else if (name === 'listed nothing') this.#core.takeList([], false);
    else if (name === 'setGateways')
      this.#core.takeList(readList(['ws://b.example', 'ws://c.example']), true);
    else if (name === 'refused') value = this.#core.sessionFailed(this.#greeted, 0);
    else if (name === 'notify') value = this.#core.notify('note', 0);
    else value = this.#core.tell(name === 'stats' ? STATS : FAILURES);
    this.pull();
    return value;
  }

  answered(id) {
    return this.#core.answered(this.#ear, id, 0, 0);
  }

  pull() {
    if (this.#pulling) return;
    this.#pulling = true;
    for (let row = this.#core.notice(); row !== undefined; row = this.#core.notice()) {
      const notice = named(row);
      this.notices.push(notice);
      this.happen(notice.kind, this.sockets.at(-1));
    }
    this.#pulling = false;
  }

  /** Says what happens once at a place: a call of the client, an event of the socket there, or a throw. */
  plan(place, step) {
    this.#plans.set(place, [...(this.#plans.get(place) ?? []), step]);
  }

  happen(place, socket) {
    const step = this.#plans.get(place)?.shift();
    if (step === undefined) return;
    const [verb, ...words] = step.split(' ');
    if (verb === 'throw') {
      const error = new Error(words.slice(1).join(' '));
      error.name = words[0];
      throw error;
    } else if (verb === 'emit')
      socket[words[0]](words[1] === undefined ? undefined : Number(words[1]) || words[1]);
    else this.call(step);
  }

  /** Moves the time, firing what is due on the way, in order. */
  advance(milliseconds) {
    const end = this.#time + milliseconds;
    for (;;) {
      const [due] = [...this.#timers].sort((a, b) => a[1].at - b[1].at || a[0] - b[0]);
      if (due === undefined || due[1].at > end) break;
      this.#time = Math.max(this.#time, due[1].at);
      this.#timers.delete(due[0]);
      due[1].callback();
    }
    this.#time = end;
  }

  /** Fires the timer that runs before its time, as browsers sometimes do. */
  fireEarly() {
    const [[id, { callback }]] = this.#timers;
    this.#timers.delete(id);
    callback();
  }

  moveDate(milliseconds) {
    Date.now = () => this.#real.date() + milliseconds;
  }
}

/** Has the application asked for everything that it can be asked for. */
export function askEverything(options) {
  options.gateways = () => {};
  options.session = () => {};
  options.closePolicy = () => {};
}

/** Wrong options that no JSON text can say: name of the case to the options. */
export function hostileOptions() {
  const thrower = () => {
    throw new Error('mine');
  };
  const gateways = ['ws://a.example'];
  const cyclic = { gateways };
  cyclic.networking = cyclic;
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return [
    cyclic,
    Object.defineProperty({}, 'gateways', { enumerable: true, get: thrower }),
    { gateways, networking: Object.defineProperty({}, 'jitter', { enumerable: true, get: thrower }) },
    { gateways: [Object.defineProperty({}, 'url', { enumerable: true, get: thrower })] },
    new Proxy({ gateways }, { ownKeys: thrower }),
    new Proxy({ gateways }, { get: thrower }),
    { gateways: new Proxy(gateways, { get: thrower }) },
    { gateways, protocols: new Proxy(['x'], { get: thrower }) },
    proxy,
    { gateways: proxy },
    { gateways, networking: proxy },
    { gateways, seed: 5n },
    { gateways, seed: Symbol('x') },
    { gateways, WebSocket: {} },
    { gateways, networking: () => {} },
    { gateways, '': 'always' },
  ];
}
