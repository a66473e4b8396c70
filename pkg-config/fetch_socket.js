// The transport "fetch" of Cloudflare Workers: it sends headers, and sees the status of a refusal.

import { RegateError } from './error.js';
import { report } from './report.js';
import { checked } from './wasm.js';

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;

// Close codes of RFC 6455, section 7.4.1.
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const ABNORMAL = 1006;

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i; // RFC 9110, section 5.6.2
const TEXT = /^[\t -~]*$/; // what every server reads alike
/** What belongs to the handshake: workerd overwrites most of it without a word. */
const OF_THE_HANDSHAKE =
  /^(connection|content-length|host|keep-alive|transfer-encoding|upgrade|sec-websocket-.*)$/i;

const nothing = () => {};
const wrong = (detail) => new RegateError('INVALID_OPTION', { detail });

/** The options of a client, with a class of sockets in the place of the transport "fetch". */
export function withTransport(options) {
  const given = checked(() => (options?.transport === 'fetch' ? { ...options } : undefined));
  if (given === undefined) return options; // the core says what is wrong, if anything is
  const { transport, headers = {}, ...others } = given;
  if (others.WebSocket !== undefined) throw wrong('WebSocket must be left out where transport is "fetch"');
  const isFunction = typeof headers === 'function';
  const fixed = isFunction ? undefined : readHeaders(headers);
  const headersOf = isFunction ? async (url) => readHeaders(await headers(url)) : () => fixed;
  class WebSocket extends FetchSocket {
    /** What the headers function threw at the last dial, or what is wrong with what it gave. */
    static headersError;

    constructor(url, protocols) {
      super(url, protocols, headersOf);
    }
  }
  return { ...others, WebSocket };
}

/** A copy of what an application gave as headers. Names and values may be secrets: an error shows no value. */
function readHeaders(given) {
  const isObject = given !== null && typeof given === 'object';
  if (!isObject) throw wrong('headers must be an object, a list of pairs, or a function that gives one');
  const headers = new Headers();
  const pairs = checked(() =>
    Symbol.iterator in given ? Array.from(given, readPair) : Object.entries(given),
  );
  for (const [place, pair] of pairs.entries()) {
    if (pair?.length !== 2) throw wrong(`headers[${place}] must be a pair of a name and a value`);
    const [name, value] = pair;
    if (typeof name !== 'string' || !TOKEN.test(name))
      throw wrong('headers: a name must be of the characters that HTTP allows in a token');
    if (OF_THE_HANDSHAKE.test(name)) throw wrong(`headers: ${name} is the handshake's own`);
    if (typeof value !== 'string' || !TEXT.test(value))
      throw wrong(`headers: ${name} must be a text of visible ASCII characters, spaces and tabs`);
    headers.append(name, value);
  }
  return headers;
}

/** A copy of a pair; what is none is not looked into. */
const readPair = (given) =>
  given !== null && typeof given === 'object' && Symbol.iterator in given ? Array.from(given) : undefined;

/**
 * A socket that is dialled by `fetch`, with as much of the interface of WebSocket as a client uses. Its handlers are called by
 * workerd, which looks for `on…` on every EventTarget.
 */
class FetchSocket extends EventTarget {
  binaryType = 'arraybuffer';
  extensions = '';
  protocol = '';
  readyState = CONNECTING;
  onclose = null;
  onerror = null;
  onmessage = null;
  onopen = null;
  #dialling = new AbortController();
  #headersFailed = false;
  #socket;

  constructor(url, protocols, headersOf) {
    super();
    this.url = url;
    this.#dial([protocols ?? []].flat(), headersOf).catch(() => this.#end({ code: ABNORMAL }));
  }

  get bufferedAmount() {
    return this.#socket?.bufferedAmount ?? 0;
  }

  send(frame) {
    if (this.readyState === CONNECTING) throw new DOMException('not open yet', 'InvalidStateError');
    this.#socket.send(frame);
  }

  close(code = NORMAL, reason = undefined) {
    if (this.readyState === OPEN) this.#socket.close(code, reason);
    else if (this.readyState === CONNECTING) this.#dialling.abort();
    else return;
    this.readyState = CLOSING;
  }

  async #dial(protocols, headersOf) {
    const headers = new Headers(await this.#ask(headersOf));
    headers.set('Upgrade', 'websocket');
    if (protocols.length > 0) headers.set('Sec-WebSocket-Protocol', protocols.join(', '));
    const { signal } = this.#dialling;
    // A handshake follows no redirection, least of all with secrets in its headers.
    const response = await fetch(this.url.replace(/^ws/, 'http'), { headers, redirect: 'manual', signal });
    const { status, webSocket: socket } = response;
    if (!socket) {
      response.body?.cancel().catch(nothing); // unread it would hold its connection
      this.#end({ code: ABNORMAL, status });
      return;
    }
    socket.accept(); // before that it could not even be closed
    const protocol = response.headers.get('Sec-WebSocket-Protocol') ?? '';
    const isOffered = protocol === '' || protocols.includes(protocol);
    if (this.readyState === CONNECTING && isOffered) {
      this.#open(socket, protocol);
    } else {
      socket.close(isOffered ? NORMAL : PROTOCOL_ERROR);
      this.#end({ code: ABNORMAL });
    }
  }

  /** Asks for the headers of this dial; what is wrong with them is the application's own fault. */
  async #ask(headersOf) {
    try {
      const headers = await headersOf(this.url);
      this.constructor.headersError = undefined;
      return headers;
    } catch (error) {
      this.#headersFailed = true;
      this.constructor.headersError = error;
      report(error);
      throw error;
    }
  }

  #open(socket, protocol) {
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent('message', { data }));
    socket.onerror = () => this.dispatchEvent(new Event('error'));
    socket.onclose = ({ code, reason, wasClean }) => {
      this.#end({ code, reason, wasClean });
      socket.close(NORMAL); // with older compatibility dates the gateway waits for this answer
    };
    this.#socket = socket;
    this.protocol = protocol;
    this.readyState = OPEN;
    this.dispatchEvent(new Event('open'));
  }

  /** Says `close`, once, and lets go of what it was made of. */
  #end({ code, reason = '', wasClean = false, status }) {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    const socket = this.#socket;
    if (socket !== undefined) Object.assign(socket, { onmessage: null, onerror: null, onclose: null });
    const headersFailed = this.#headersFailed;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason, wasClean, status, headersFailed }));
  }
}
