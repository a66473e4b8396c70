import { checkRequest, readCall, readConnect } from './arguments.js';
import { RegateError } from './error.js';
import { decode, encodeNotification, encodeRequest, numberOf, renumber } from './json_rpc.js';
import { makeLog } from './log.js';
import { Core } from './regate.js';
import { checked, requireWasm } from './wasm.js';

// Numbers that Core.answered knows.
const RESULT = 0;
const RETRYABLE = 1;
const ERROR = 2;
const NEITHER = 3;

const LOG_LINES = new Set(['outagebegan', 'outagegoeson', 'outageended', 'gaveup']);
const nothing = () => {};

/** A seed of 53 bits. Drawn when a client is made, as some platforms have no chance before. */
function drawSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** An operation whose promise is not settled. */
class Operation {
  constructor(id, frame) {
    this.id = id;
    this.frame = frame;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.answer = undefined;
    this.signal = undefined;
    this.onAbort = undefined;
  }

  reached() {
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}

export class ClusterClient extends EventTarget {
  #core;
  #log;
  #state = 'idle';
  #operations = new Map();
  #starts = 0; // how often connecting began
  #told = 0; // of how many of these the application was told: a listener runs ahead of that
  #readies = new Map(); // of each start, the promise of the next `connected`, while one is waited for
  #draining = false;
  #protocolErrors = 0;
  #host = {
    frame: (operation, attempt) => this.#frame(operation, attempt),
    message: (data) => this.#message(data),
    drain: () => this.#drain(),
    late: (event) => event.target?.close(),
    ignore: nothing,
  };

  constructor(options) {
    requireWasm();
    super();
    this.#core = checked(() => new Core(options, drawSeed()));
    this.#log = makeLog(options.logger);
    for (const name of this.#core.foreignNames) this.#log.warn(`${name} means nothing here and is ignored`);
  }

  get state() {
    return this.#state;
  }

  get gateway() {
    return this.#core.gateway;
  }

  stats() {
    return { ...this.#core.stats(), protocolErrors: this.#protocolErrors };
  }

  connect(options) {
    let signal;
    try {
      signal = readConnect(options);
      if (!this.#core.hasWebSocket) throw new RegateError('NO_WEBSOCKET');
    } catch (error) {
      return Promise.reject(error);
    }
    const began = this.#core.state;
    if (began === 'connected') return Promise.resolve();
    if (signal?.aborted) {
      // Aborted before it began: only what this call would have started is ended.
      if (began === 'idle') this.close();
      else if (began === 'connecting') this.#abortConnect(signal.reason);
      return Promise.reject(signal.reason);
    }
    const starts = began === 'idle' || began === 'closed';
    if (starts) {
      this.#core.connect(this.#host);
      this.#starts += 1;
    }
    const { promise } = this.#expectReady();
    if (starts) this.#startDialling();
    if (signal === undefined) return promise;
    return began === 'reconnecting' ? orAborted(promise, signal) : this.#governedBy(signal, promise);
  }

  reconnect() {
    if (!this.#core.hasWebSocket) throw new RegateError('NO_WEBSOCKET');
    const began = this.#core.state;
    this.#core.reconnect(this.#host);
    if (began === 'idle' || began === 'closed') {
      this.#starts += 1;
      this.#startDialling();
    } else {
      this.#drain();
    }
  }

  close() {
    this.#core.close(false);
    this.#drain();
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.close();
  }

  invoke(method, params, options) {
    let call;
    try {
      checkRequest(method, params);
      call = readCall(options);
    } catch (error) {
      return Promise.reject(error);
    }
    if (call.signal?.aborted) return Promise.reject(call.signal.reason);
    const id = this.#core.reserve();
    let operation;
    try {
      operation = new Operation(id, encodeRequest(id, method, params));
    } catch (cause) {
      return Promise.reject(new RegateError('ENCODE_FAILED', { cause, detail: cause?.message }));
    }
    this.#operations.set(id, operation);
    try {
      const { redo, timeout, messaging } = call;
      if (checked(() => this.#core.invoke(this.#host, id, operation.frame, redo, timeout, messaging)))
        this.#drain();
    } catch (error) {
      this.#operations.delete(id);
      operation.reject(error);
    }
    if (call.signal !== undefined && this.#operations.has(id)) this.#listenForAbort(operation, call.signal);
    return operation.promise;
  }

  notify(method, params) {
    checkRequest(method, params);
    let frame;
    try {
      frame = encodeNotification(method, params);
    } catch (cause) {
      throw new RegateError('ENCODE_FAILED', { cause, detail: cause?.message });
    }
    const sent = this.#core.notify(frame);
    this.#drain();
    return sent ? 'sent' : 'dropped';
  }

  #startDialling() {
    this.#drain();
    // Not in this turn: connect and close in one turn open nothing.
    queueMicrotask(() => {
      this.#core.tick();
      this.#drain();
    });
  }

  #expectReady() {
    let ready = this.#readies.get(this.#starts);
    if (ready === undefined) {
      ready = {};
      ready.promise = new Promise((resolve, reject) => Object.assign(ready, { resolve, reject }));
      ready.promise.catch(nothing); // who ignores it learns of the end by events and by the log
      this.#readies.set(this.#starts, ready);
    }
    return ready;
  }

  #governedBy(signal, promise) {
    // Once connected, or closed, there is nothing left that this signal governs.
    const onAbort = () =>
      this.#readies.get(this.#starts)?.promise === promise && this.#abortConnect(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    promise.then(end, end);
    return promise;
  }

  #abortConnect(reason) {
    const ready = this.#readies.get(this.#starts);
    if (ready !== undefined) ready.abortReason = reason;
    this.#core.close(true);
    this.#drain();
  }

  #listenForAbort(operation, signal) {
    operation.signal = signal;
    operation.onAbort = () => {
      this.#core.abort(operation.id);
      this.#drain();
    };
    signal.addEventListener('abort', operation.onAbort);
    if (signal.aborted) operation.onAbort(); // by something that ran since it was looked at
  }

  #frame(id, attempt) {
    const operation = this.#operations.get(id);
    return attempt === id ? operation.frame : renumber(operation.frame, id, attempt);
  }

  #message(data) {
    let messages;
    try {
      messages = decode(data);
    } catch {
      this.#protocolError('a frame is no JSON');
      return;
    }
    for (const message of messages) {
      if (message === null || typeof message !== 'object') this.#protocolError('a message is no object');
      else if (message.id === undefined || message.id === null) this.#notification(message);
      else this.#answer(message);
    }
  }

  #notification({ method, params }) {
    if (typeof method === 'string') this.#emit('notification', { method, params });
    else this.#protocolError('a message has neither an id nor a method');
  }

  #answer(message) {
    const { result, error } = message;
    const id = numberOf(message.id);
    if (typeof message.method === 'string') {
      this.#protocolError('a gateway asked something of this client');
      return;
    }
    if (!Number.isSafeInteger(id) || id < 1) {
      this.#protocolError('an answer has an id that is no number of this client');
      return;
    }
    let belongsTo;
    if (error !== undefined && error !== null) {
      const again = error.data?.retryable === true;
      const number = again ? error.data.retryAfterMilliseconds : error.code;
      belongsTo = this.#core.answered(id, again ? RETRYABLE : ERROR, Number.isFinite(number) ? number : 0);
    } else {
      belongsTo = this.#core.answered(id, result === undefined ? NEITHER : RESULT, 0);
    }
    if (belongsTo > 0) this.#take(belongsTo).resolve(result);
    else if (belongsTo < 0) this.#operations.get(-belongsTo).answer = message;
  }

  #protocolError(reason) {
    this.#protocolErrors += 1;
    this.#emit('protocolerror', { reason });
  }

  /** Pulls what concerns the application. What a listener causes is pulled by the loop that called it. */
  #drain() {
    if (this.#draining) return;
    this.#draining = true;
    for (let notice = this.#core.notice(); notice !== undefined; notice = this.#core.notice()) {
      if (notice.kind === 'settled') this.#settle(notice);
      else if (notice.kind === 'statechange') this.#changeState(notice);
      else if (LOG_LINES.has(notice.kind)) this.#log.line(notice);
      else this.#emitNotice(notice);
    }
    this.#draining = false;
  }

  #take(id) {
    const operation = this.#operations.get(id);
    this.#operations.delete(id);
    operation.reached();
    return operation;
  }

  #settle(notice) {
    const operation = this.#take(notice.operation);
    if (notice.code === undefined) {
      operation.resolve(operation.answer.result);
      return;
    }
    if (notice.code === 'ABORTED') {
      operation.reject(operation.signal.reason);
      return;
    }
    // A client that is closed while nobody looks at its operations any more is no fault.
    if (notice.code === 'CLIENT_CLOSED') operation.promise.catch(nothing);
    operation.reject(this.#errorOf(notice, operation));
  }

  #errorOf(notice, operation) {
    const { code, completion, attempts, milliseconds: elapsedMilliseconds, gateway, closeCode } = notice;
    const fields = { completion, attempts, elapsedMilliseconds, gateway };
    if (notice.answered) fields.cause = operation.answer.error ?? operation.answer;
    else if (code === 'CONNECTION_LOST') fields.closeCode = closeCode;
    else if (notice.cause !== undefined) fields.cause = this.#lossOf(notice);
    if (code === 'CONNECTION_LOST' && notice.cause !== undefined) fields.detail = lossText(notice);
    if (code === 'CONNECT_TIMEOUT' || code === 'NO_GATEWAY') fields.failures = this.#core.failures();
    return new RegateError(code, fields);
  }

  #lossOf(notice) {
    const { gateway, closeCode } = notice;
    return new RegateError('CONNECTION_LOST', {
      completion: 'maybe',
      gateway,
      closeCode,
      detail: lossText(notice),
    });
  }

  #changeState(notice) {
    this.#state = notice.to;
    if (notice.to === 'connecting') this.#told += 1;
    if (notice.to === 'connected' || notice.to === 'closed') {
      const ready = this.#readies.get(this.#told);
      this.#readies.delete(this.#told);
      if (notice.to === 'connected') ready?.resolve();
      else ready?.reject(this.#endOf(notice, ready));
    }
    this.#emitNotice(notice);
  }

  #endOf({ reason }, ready) {
    if (reason === 'aborted') return ready.abortReason;
    if (reason === 'requested') return new RegateError('CLIENT_CLOSED');
    return new RegateError(reason, { failures: this.#core.failures() });
  }

  #emitNotice({ kind, ...detail }) {
    this.#emit(kind, detail);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function lossText({ gateway, cause, closeCode }) {
  return `${gateway}: ${cause}${closeCode === undefined ? '' : ` ${closeCode}`}`;
}

/** The same promise, given up when the signal aborts; nothing else ends with it. */
function orAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    promise.finally(end).then(resolve, reject);
  });
}
