// A class with the interface of the W3C WebSocket that goes round the gateways.

import { byteLength, checkBlob } from './codec.js';
import { RegateError } from './error.js';
import { OURS, Ring } from './lane.js';
import { TOKEN } from './options.js';
import { patient } from './patience.js';
import { report } from './report.js';

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;
const STATES = { CONNECTING, OPEN, CLOSING, CLOSED };

/** The code of a close that says that the work is done. */
const NORMAL = 1000;

/** The most bytes of a reason: what RFC 6455, section 5.5, leaves of a control frame beside its code. */
const MOST_REASON_BYTES = 123;

/** How a socket ends of which no gateway says how. */
const ABANDONED = { code: 1006, reason: '', wasClean: false, erred: true };

/** A class's own way to say, of what a constructor was given, its ring and what `url` shows. */
const SET_OUT = Symbol('set out');

const wrong = (name, text) => new DOMException(text, name);

class Socket extends EventTarget {
  static [OURS] = Socket.#define();
  #ring;
  #lane;
  #line; // the platform's socket that carries this one
  #origin;
  #url;
  #state = CONNECTING;
  #binaryType = 'blob';
  #held = []; // frames that wait for `open`
  #heldBytes = 0;
  #unsentBytes = 0; // of frames that will never go out
  #handlers = {};

  constructor(...given) {
    super();
    const [, protocols] = given;
    const { ring, shown } = new.target[SET_OUT](given);
    this.#ring = ring;
    this.#url = shown;
    const holder = {
      protocols: readProtocols(protocols),
      opened: (line, url) => this.#opened(line, url),
      message: (data) => this.#message(data),
      lost: (loss) => this.#lost(loss),
      closed: (end) => this.#finish(end),
    };
    ring
      .lane()
      .then((lane) => {
        if (this.#state !== CONNECTING) return ring.rest(lane);
        this.#lane = lane;
        lane.begin(holder);
      })
      // In a turn of its own: who opens the next socket then does not starve the others.
      .catch((error) => setTimeout(() => this.#finish({ ...ABANDONED, error })));
  }

  /** Gives the class what no class body can; not in a static block, which Safari has only from 16.4 on. */
  static #define() {
    for (const [name, value] of Object.entries(STATES)) {
      for (const owner of [Socket, Socket.prototype])
        Object.defineProperty(owner, name, { value, enumerable: true });
    }
    for (const type of ['open', 'message', 'error', 'close']) {
      Object.defineProperty(Socket.prototype, `on${type}`, {
        configurable: true,
        enumerable: true,
        get() {
          return this.#handlers[type]?.value ?? null;
        },
        set(value) {
          this.#handle(type, value);
        },
      });
    }
    return true;
  }

  get [Symbol.toStringTag]() {
    return 'WebSocket';
  }

  get url() {
    return this.#url;
  }

  get gateway() {
    return this.#state === OPEN ? this.#lane.gateway : undefined;
  }

  get readyState() {
    return this.#state;
  }

  get bufferedAmount() {
    return this.#unsentBytes + this.#heldBytes + (this.#line?.bufferedAmount ?? 0);
  }

  get protocol() {
    return this.#line?.protocol ?? '';
  }

  get extensions() {
    return this.#line?.extensions ?? '';
  }

  get binaryType() {
    return this.#binaryType;
  }

  set binaryType(type) {
    if (type === 'blob' || type === 'arraybuffer') this.#binaryType = type;
  }

  send(...given) {
    if (given.length === 0) throw new TypeError('send() without data');
    const [data] = given;
    if (this.#state === OPEN) {
      if (this.#line.readyState === OPEN) return void this.#line.send(checkBlob(data));
      this.#lane.doubt(); // it is lost already, or will be
    }
    const { buffers, comesBack } = this.#ring;
    const frame = readFrame(data);
    if (this.#state === CONNECTING && !buffers) throw wrong('InvalidStateError', 'send() before open');
    if (buffers && (this.#state === CONNECTING || (this.#state === OPEN && comesBack))) this.#hold(frame);
    else this.#unsentBytes += byteLength(frame);
  }

  close(code, reason) {
    const given = readClose(code, reason);
    if (this.#state >= CLOSING) return;
    const line = this.#state === OPEN ? this.#line : undefined;
    this.#state = CLOSING;
    // A line that the gateway is closing was not left because the work was done.
    const isDone = line?.readyState === OPEN && (given[0] ?? NORMAL) === NORMAL;
    this.#lane?.leave(() => line && this.#hangUp(line, given), isDone);
    if (line === undefined) setTimeout(() => this.#finish(ABANDONED));
  }

  /** The platform closes its socket, and says how that ended. */
  #hangUp(line, given) {
    let erred = false;
    line.addEventListener('error', () => {
      erred = true;
    });
    line.addEventListener('close', ({ code, reason, wasClean }) =>
      this.#finish({ code: code || 1006, reason, wasClean, erred }),
    );
    try {
      line.close(...given);
    } catch {
      setTimeout(() => this.#finish(ABANDONED)); // workerd: it belongs to another request
    }
  }

  #opened(line, url) {
    this.#line = line;
    this.#origin = new URL(url).origin;
    this.#state = OPEN;
    while (this.#held.length > 0 && line.readyState === OPEN) {
      const frame = this.#held.shift();
      this.#heldBytes -= byteLength(frame);
      try {
        line.send(frame);
      } catch (error) {
        this.#unsentBytes += byteLength(frame);
        report(error); // one that the platform does not take: the next is none the worse
      }
    }
    this.#dispatch(new Event('open'));
  }

  #message(received) {
    const isBytes = typeof received !== 'string' && this.#binaryType === 'blob';
    const data = isBytes ? new Blob([received]) : received;
    this.#dispatch(new MessageEvent('message', { data, origin: this.#origin }));
  }

  /** The connection is lost, and another one is on its way. */
  #lost(loss) {
    this.#state = CONNECTING;
    this.#line = undefined;
    this.#tell(loss);
  }

  #finish(end) {
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#unsentBytes += this.#heldBytes;
    this.#heldBytes = 0;
    this.#held = [];
    this.#tell(end);
  }

  #tell({ erred, error, ...close }) {
    if (erred) {
      const event = new Event('error');
      if (error !== undefined) event.error = error;
      this.#dispatch(event);
    }
    this.#dispatch(closeEvent(close));
  }

  /** In workerd what a listener throws comes out here. */
  #dispatch(event) {
    try {
      this.dispatchEvent(event);
    } catch (error) {
      report(error);
    }
  }

  #hold(frame) {
    const bytes = byteLength(frame);
    if (this.#held.length >= this.#ring.mostFrames || this.#heldBytes + bytes > this.#ring.mostBytes)
      throw new RegateError('OVERLOADED');
    this.#held.push(frame);
    this.#heldBytes += bytes;
  }

  /** Sets a handler. Another one is called in the place that the first had. */
  #handle(type, value) {
    const known = this.#handlers[type];
    if (value === null || !['function', 'object'].includes(typeof value)) {
      this.removeEventListener(type, known?.listener ?? null);
      delete this.#handlers[type];
    } else if (known !== undefined) {
      known.value = value;
    } else {
      const handler = { value };
      handler.listener = (event) => {
        if (typeof handler.value === 'function' && !callsHandlers()) handler.value.call(this, event);
      };
      this.#handlers[type] = handler;
      this.addEventListener(type, handler.listener);
    }
  }
}

/** Makes the `GatewaySocket` of an entry; `adapt` puts what only that entry knows into options. */
export function makeGatewaySocket(init, adapt = (options) => options) {
  const ready = patient(() => init());
  return class GatewaySocket extends Socket {
    static [SET_OUT](given) {
      if (given.length === 0) throw new TypeError('no gateways');
      const [url, , options] = given;
      const isList = Array.isArray(url) || typeof url === 'function';
      const shown = isList ? '' : addressOf(url);
      return { ring: new Ring(ready, isList ? url : [shown], adapt(options)), shown };
    }

    static over(gateways, options) {
      const ring = new Ring(ready, gateways, adapt(options));
      return class extends GatewaySocket {
        static [SET_OUT]([url = '']) {
          return { ring, shown: `${url}` };
        }
      };
    }
  };
}

/** A URL as `new WebSocket` reads it; it may hold a secret, so an error does not show it. */
function addressOf(given) {
  const text = `${given}`; // what that throws is the application's own
  try {
    const url = new URL(text, globalThis.document?.baseURI ?? globalThis.location?.href);
    const href = url.href.replace(/^http/, 'ws');
    if (/^wss?:[^#]*$/.test(href)) return href;
  } catch {}
  throw wrong('SyntaxError', 'the URL must be one of ws: or wss:, without a fragment');
}

/** Sub-protocols as `new WebSocket` reads them, but that `null` is none; they may be secrets, so an error shows none. */
function readProtocols(given) {
  if (given === undefined || given === null) return undefined;
  const isList = typeof given === 'object' && typeof given[Symbol.iterator] === 'function';
  const list = isList ? Array.from(given, (protocol) => `${protocol}`) : [`${given}`];
  const isWrong = (protocol, place) => !TOKEN.test(protocol) || list.indexOf(protocol) < place;
  if (list.some(isWrong))
    throw wrong('SyntaxError', 'a sub-protocol is no token, or not the first of its name');
  return list.length === 0 ? undefined : list;
}

/** What `send` was given, as it stands now. */
function readFrame(data) {
  if (data instanceof Blob) return checkBlob(data);
  if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  if (Object.prototype.toString.call(data) === '[object ArrayBuffer]') return data.slice(0);
  return `${data}`;
}

/** The arguments of `close()`, as many as were given: a reason needs a code. */
function readClose(code, reason) {
  if (code === undefined && reason === undefined) return [];
  const given = [clamp(code)];
  if (given[0] !== 1000 && !(given[0] >= 3000 && given[0] <= 4999))
    throw wrong('InvalidAccessError', `code ${given[0]} is neither 1000 nor within 3000..=4999`);
  if (reason !== undefined) given.push(`${reason}`);
  if (byteLength(given[1] ?? '') > MOST_REASON_BYTES)
    throw wrong('SyntaxError', `the reason has more than ${MOST_REASON_BYTES} bytes`);
  return given;
}

/** A number as Chromium clamps it to an unsigned short; Web IDL would round it. */
const clamp = (value) => Math.trunc(Math.min(Math.max(value, 0), 65_535)) || 0;

let calls;

/** Whether the platform itself calls what stands in `on…` of any EventTarget, as workerd does. */
function callsHandlers() {
  if (calls === undefined) {
    calls = false;
    const target = new EventTarget();
    target.onx = () => {
      calls = true;
    };
    target.dispatchEvent(new Event('x'));
  }
  return calls;
}

/** Some platforms have no class for it. */
const closeEvent = (close) =>
  typeof CloseEvent === 'function'
    ? new CloseEvent('close', close)
    : Object.assign(new Event('close'), close);
