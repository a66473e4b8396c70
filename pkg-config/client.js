import { checkRequest, LEAVING, numberOfVerdict, readCall, readConnect, readSubscribe } from './arguments.js';
import { makeCodec } from './codec.js';
import { makeCore } from './core.js';
import { RegateError, shownName } from './error.js';
import {
  ABORT_CONNECT,
  CLOSE,
  CONNECT,
  DRAIN,
  FAILURES,
  GATEWAY,
  RECONNECT,
  SESSION_DONE,
  TICK,
} from './events.js';
import { Exchange, refused } from './exchange.js';
import { judge } from './judge.js';
import { Lister } from './lister.js';
import { isLine, makeLog } from './log.js';
import { failuresOf, nextNotice, statsOf } from './notice.js';
import { report } from './report.js';
import { checkListener, oppositeOf, Subscription } from './subscription.js';
import { listenForWakes } from './wake.js';
import { requireWasm } from './wasm.js';

const nothing = () => {};

function makePromise() {
  const settle = {};
  settle.promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return settle;
}

export class ClusterClient extends EventTarget {
  #core;
  #log;
  #exchange;
  #application; // what it wants to be asked
  #listOf;
  #hasWebSocket;
  #state = 'idle';
  #starts = 0; // how often connecting began
  #told = 0; // of how many of these the application was told: a listener runs ahead of that
  #readies = new Map(); // of each start, the promise of the next `connected`, while one is waited for
  #closed = makePromise();
  #endWakes;
  #lister;
  #draining = false;
  #host = {
    frame: (operation, attempt) => this.#exchange.frame(operation, attempt),
    ear: (socket) => (event) => this.#exchange.receive(socket, event.data),
    drain: () => this.#drain(),
    ping: (attempt) => this.#ping(attempt),
    list: () => this.#lister.ask(),
    greet: (socket, gateway) => this.#greet(socket, gateway),
    judge: (...failure) => judge(this.#application.closePolicy, ...failure),
  };
  #codec;

  constructor(options) {
    requireWasm();
    super();
    const { core, given, foreignNames, listOf, hasWebSocket } = makeCore(options);
    this.#core = core;
    this.#listOf = listOf;
    this.#hasWebSocket = hasWebSocket;
    this.#application = given;
    this.#lister = new Lister(core, given.gateways, {
      read: listOf,
      told: () => this.#drain(),
      failed: (reason) => this.#emit('gatewaysfailed', { reason }), // what was thrown may hold a secret
    });
    this.#log = makeLog(given.logger);
    this.#codec = makeCodec(given.codec, given['heartbeat.method']);
    this.#exchange = new Exchange(core, this.#host, this.#codec, {
      batch: given.batch,
      maxMessageBytes: given['limits.maxMessageBytes'],
      isRetryable: given['messaging.isRetryable'],
      emit: (type, detail) => this.#emit(type, detail),
      report,
    });
    for (const name of foreignNames) this.#log.warn(`${shownName(name)} means nothing here and is ignored`);
  }

  get state() {
    return this.#state;
  }

  get gateway() {
    return this.#core.tell(GATEWAY);
  }

  get closed() {
    return this.#closed.promise;
  }

  stats() {
    const { messages: messagesReceived, notifications, protocolErrors } = this.#exchange;
    return { ...statsOf(this.#core), messagesReceived, notifications, protocolErrors };
  }

  connect(options) {
    let signal;
    try {
      signal = readConnect(options);
      if (!this.#hasWebSocket) throw new RegateError('NO_WEBSOCKET');
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
      this.#tell(CONNECT);
      this.#starts += 1;
    }
    const { promise } = this.#expectReady();
    if (starts) this.#startDialling();
    if (signal === undefined) return promise;
    return began === 'reconnecting' ? orAborted(promise, signal) : this.#governedBy(signal, promise);
  }

  reconnect() {
    if (!this.#hasWebSocket) throw new RegateError('NO_WEBSOCKET');
    const began = this.#core.state;
    this.#tell(RECONNECT);
    if (began === 'idle' || began === 'closed') {
      this.#starts += 1;
      this.#startDialling();
    } else {
      this.#drain();
    }
  }

  setGateways(list) {
    if (typeof list === 'function') throw RegateError.ofOption(['gateways', list, 'list']);
    const entries = this.#listOf(list);
    this.#exchange.endTurn();
    this.#core.takeList(entries, true);
    this.#lister.fix(entries);
    this.#drain();
  }

  close() {
    this.#tell(CLOSE);
    this.#drain();
  }

  drain() {
    this.#tell(DRAIN);
    const { promise } = this.#closed;
    this.#drain();
    return promise;
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.close();
  }

  invoke(method, params, options) {
    return this.#invoke(method, params, options, 0);
  }

  notify(method, params) {
    return this.#notify(method, params, 0);
  }

  subscribe(method, params, listener, options) {
    checkRequest(method, params);
    checkListener(listener);
    const { route, unsubscribeMethod = oppositeOf(method) } = readSubscribe(options);
    let giveUp = nothing;
    const leave = (name) => {
      if (unsubscribeMethod === undefined) return;
      this.#exchange.invoke(unsubscribeMethod, [name], LEAVING, 0).catch(nothing);
    };
    const subscription = new Subscription(listener, route, (name) => {
      giveUp(name === undefined ? leave : undefined);
      if (name !== undefined) leave(name);
      this.#drain();
    });
    giveUp = this.#exchange.subscribe(method, params, subscription);
    this.#drain();
    return subscription;
  }

  #invoke(method, params, options, socket) {
    let call;
    try {
      checkRequest(method, params);
      call = readCall(options);
    } catch (error) {
      return refused(error);
    }
    return this.#exchange.invoke(method, params, call, socket);
  }

  #notify(method, params, socket) {
    checkRequest(method, params);
    const became = this.#exchange.notify(method, params, socket);
    this.#drain();
    return became;
  }

  #tell(event, number = 0) {
    this.#exchange.endTurn();
    this.#core.handle(this.#host, event, number);
  }

  #startDialling() {
    this.#drain();
    // Not in this turn: connect and close in one turn open nothing.
    queueMicrotask(() => {
      this.#tell(TICK);
      this.#drain();
    });
  }

  #expectReady() {
    let ready = this.#readies.get(this.#starts);
    if (ready === undefined) {
      ready = { ...makePromise(), beganAt: performance.now() };
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
    this.#tell(ABORT_CONNECT);
    this.#drain();
  }

  #ping(attempt) {
    try {
      return this.#codec.ping(attempt);
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  /** Runs the session hook on a new socket. */
  #greet(socket, gateway) {
    const connection = {
      gateway,
      invoke: (method, params, options) => this.#invoke(method, params, options, socket),
      notify: (method, params) => this.#notify(method, params, socket),
    };
    Promise.resolve(connection)
      .then(this.#application.session)
      .then(
        () => this.#tell(SESSION_DONE, socket),
        (error) => {
          const matters = this.#core.sessionFailed(socket, verdictOf(error));
          if (matters) this.#emit('sessionfailed', { gateway, error });
        },
      )
      .then(() => this.#drain());
  }

  /** Pulls what concerns the application. What a listener causes is pulled by the loop that called it. */
  #drain() {
    if (this.#draining) return;
    this.#draining = true;
    for (let notice = nextNotice(this.#core); notice !== undefined; notice = nextNotice(this.#core)) {
      try {
        this.#take(notice);
      } catch (error) {
        report(error); // a fault of what the application handed in: the next notice is none the worse
      }
    }
    this.#draining = false;
  }

  #take(notice) {
    if (notice.kind === 'settled') this.#exchange.settled(notice);
    else if (notice.kind === 'subscribed') this.#exchange.subscribed(notice);
    else if (notice.kind === 'statechange') this.#changeState(notice);
    else if (isLine(notice)) this.#log.line(notice);
    else this.#emitNotice(notice);
  }

  #changeState(notice) {
    const { from, to } = notice;
    this.#state = to;
    if (from === 'connected') this.#exchange.pause();
    if (to === 'connecting') this.#begin(from);
    if (to === 'connected' || to === 'closed') {
      const ready = this.#readies.get(this.#told);
      this.#readies.delete(this.#told);
      const end = to === 'closed' ? this.#endOf(notice, ready) : undefined;
      if (to === 'connected') ready?.resolve();
      else ready?.reject(end);
      this.#exchange.gaveUpWith = isOwn(notice.reason) ? undefined : end;
    }
    if (to === 'closed') {
      this.#endWakes?.();
      this.#endWakes = undefined;
      this.#closed.resolve(to);
    }
    this.#emitNotice(notice);
  }

  #begin(from) {
    this.#told += 1;
    if (from === 'closed') this.#closed = makePromise();
    this.#exchange.gaveUpWith = undefined;
    this.#endWakes ??= listenForWakes((kind) => {
      this.#tell(kind);
      this.#drain();
    });
  }

  #endOf({ reason }, ready) {
    if (reason === 'aborted') return ready?.abortReason;
    if (reason === 'requested') return new RegateError('CLIENT_CLOSED');
    return new RegateError(reason, {
      failures: failuresOf(this.#core.tell(FAILURES)),
      cause: this.#lister.error ?? this.#application.WebSocket?.headersError,
      elapsedMilliseconds: ready && Math.round(performance.now() - ready.beganAt),
    });
  }

  #emitNotice({ kind, ...detail }) {
    if (kind === 'waiting' || kind === 'statechange') {
      this.#lister.end(kind === 'waiting' || (detail.to === 'closed' && detail.reason === 'CONNECT_TIMEOUT'));
    }
    this.#emit(kind, detail);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Whether the application itself ended it. */
const isOwn = (reason) => reason === 'requested' || reason === 'aborted';

/** The number of the verdict that an error of a session hook carries, if any. */
function verdictOf(error) {
  try {
    return numberOfVerdict(error?.verdict);
  } catch {
    return 0;
  }
}

/** The same promise, given up when the signal aborts; nothing else ends with it. */
function orAborted(promise, signal) {
  const either = new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    promise.finally(end).then(resolve, reject);
  });
  either.catch(nothing); // as for the other: who ignores it learns of the end otherwise
  return either;
}
