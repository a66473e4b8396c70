// What is asked and answered: payloads and promises, which the core knows by number only.

import { SUBSCRIPTION } from './arguments.js';
import { byteLength } from './codec.js';
import { causeOf, RegateError } from './error.js';
import { ABORT, FAILURES } from './events.js';
import { numberOf } from './json_rpc.js';
import { failuresOf } from './notice.js';
import { Turn } from './turn.js';

// Numbers that Core.answered knows.
const RESULT = 0;
const RETRYABLE = 1;
const ERROR = 2;
const NEITHER = 3;

/** How many subscriptions that were given up before their answer are remembered. */
const MOST_LEFT = 1_000;

const nothing = () => {};

/** Whether it is an answer with a result to what may be ours: nothing has to be asked before the core takes it in. */
const isResult = (message) =>
  typeof message?.id === 'number' &&
  Number.isSafeInteger(message.id) &&
  message.id > 0 &&
  message.result !== undefined &&
  message.error == null &&
  message.method === undefined;

const saysRetryable = (error) => error?.data?.retryable === true;

/** What is known of operations that failed, by their promises. */
const completions = new WeakMap();

export const completionOf = (promise) => completions.get(promise);

export const noteCompletion = (promise, completion) => completions.set(promise, completion);

/** The promise of what was never begun. */
export function refused(reason) {
  const promise = Promise.reject(reason);
  completions.set(promise, 'no');
  return promise;
}

/** An operation whose promise is not settled. */
class Operation {
  constructor(id, request, frame, call) {
    this.id = id;
    this.request = request;
    this.frame = frame;
    this.call = call;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.attempt = id;
    this.answer = undefined;
    this.failure = undefined;
    this.onAbort = undefined;
  }

  /** Lets go of what it had: a table of operations that was outgrown keeps each of them until the next full collection. */
  succeed(result) {
    this.resolve(result);
    this.frame = this.promise = this.resolve = this.reject = this.answer = undefined;
  }

  fail(error, completion) {
    completions.set(this.promise, completion);
    // A client that is closed while nobody looks at its operations any more is no fault.
    if (error?.code === 'CLIENT_CLOSED') this.promise.catch(nothing);
    this.reject(error);
  }

  end() {
    if (this.onAbort === undefined) return;
    try {
      this.call.signal.removeEventListener('abort', this.onAbort);
    } catch {
      // What only looks like a signal may throw: the operation ends all the same.
    }
  }
}

/** A subscription that has not ended, in the place of an operation. */
class Issue {
  constructor(id, request, frame, subscription) {
    this.id = id;
    this.request = request;
    this.frame = frame;
    this.subscription = subscription;
    this.attempt = id;
    this.answer = undefined;
    this.call = {};
  }

  fail(error) {
    this.subscription.fail(error);
  }

  end(issues) {
    issues.delete(this);
  }
}

export class Exchange {
  #core;
  #host;
  #codec;
  #isRetryable;
  #emit;
  #report;
  #operations = new Map();
  #retried = new Map(); // by the ids of attempts beyond the first
  #issues = new Set();
  #turn; // where what is made in a turn goes out together
  #left = new Map(); // by the ids of frames: subscriptions that were given up before their answer
  gaveUpWith; // the error, from then until it is connected anew
  messages = 0;
  protocolErrors = 0;
  notifications = 0;

  constructor(core, host, codec, { isRetryable = saysRetryable, emit, report, batch, maxMessageBytes }) {
    this.#core = core;
    this.#host = host;
    this.#codec = codec;
    this.#isRetryable = isRetryable;
    this.#emit = emit;
    this.#report = report;
    if (batch === undefined) return;
    this.#turn = new Turn({
      hand: (operation, kind) => this.#begin(operation, operation.call.kind | kind, 0),
      send: (socket, frame, ids) => core.sendGathered(socket, frame, ids),
      drain: () => host.drain(),
      mostBytes: maxMessageBytes,
    });
  }

  /** Hands over what was made in this turn, before something that must not go first. */
  endTurn() {
    this.#turn?.end();
  }

  /** Makes an operation; `socket` is that of a session hook, else 0. */
  invoke(method, params, call, socket) {
    if (call.signal?.aborted) return refused(call.signal.reason);
    const id = this.#core.reserve();
    const meta = call.key === undefined ? undefined : { operationKey: call.key };
    let frame;
    try {
      frame = this.#codec.encode(id, method, params, meta);
    } catch (cause) {
      return refused(new RegateError('ENCODE_FAILED', { cause }));
    }
    if (call.signal?.aborted) return refused(call.signal.reason); // while it was encoded
    const operation = new Operation(id, this.#codec.kept(method, params, meta), frame, call);
    this.#operations.set(id, operation);
    const { promise } = operation; // it lets go of it where it is settled while it is sent
    if (this.#turn !== undefined && socket === 0) this.#turn.add(operation);
    else if (this.#begin(operation, call.kind, socket) < 0) this.#host.drain();
    if (call.signal !== undefined && this.#operations.has(id))
      this.#guarded(() => this.#listenForAbort(operation));
    return promise;
  }

  /** Hands an operation over; says what Core.invoke says. */
  #begin(operation, kind, socket) {
    const { timeout, messaging } = operation.call;
    try {
      return this.#hand(operation, kind, timeout, socket, messaging);
    } catch (error) {
      // The stack was at its end, or the wasm is broken: its frame may have gone out.
      this.#operations.delete(operation.id);
      operation.fail(error, 'maybe');
      return 0;
    }
  }

  notify(method, params, socket) {
    this.endTurn();
    let frame;
    try {
      frame = this.#codec.encode(undefined, method, params, undefined);
    } catch (cause) {
      throw new RegateError('ENCODE_FAILED', { cause });
    }
    return this.#core.notify(frame, byteLength(frame), socket) ? 'sent' : 'dropped';
  }

  /** Issues a subscription; says how to give it up. */
  subscribe(method, params, subscription) {
    this.endTurn();
    const id = this.#core.reserve();
    let frame;
    try {
      frame = this.#codec.encode(id, method, params, undefined);
    } catch (cause) {
      throw new RegateError('ENCODE_FAILED', { cause });
    }
    const issue = new Issue(id, this.#codec.kept(method, params, undefined), frame, subscription);
    this.#operations.set(id, issue);
    this.#issues.add(issue);
    if (this.#hand(issue, SUBSCRIPTION, Number.NaN, 0, undefined) < 0) this.#host.drain();
    return (leave) => {
      if (leave !== undefined) this.#leaveWhenNamed(issue.attempt, leave);
      this.#core.handle(this.#host, ABORT, id);
    };
  }

  /** A gateway that was asked already still begins what was given up meanwhile, and is told then. */
  #leaveWhenNamed(attempt, leave) {
    if (this.#left.size >= MOST_LEFT) this.#left.delete(this.#left.keys().next().value);
    this.#left.set(attempt, leave);
  }

  #hand({ id, frame }, kind, timeout, socket, messaging) {
    const bytes = byteLength(frame);
    return this.#core.invoke(this.#host, id, frame, bytes, kind, timeout, socket, messaging);
  }

  #listenForAbort(operation) {
    const { signal } = operation.call;
    operation.onAbort = () => {
      if (this.#turn?.remove(operation)) {
        this.#end(operation);
        operation.fail(signal.reason, 'no');
        return;
      }
      this.#core.handle(this.#host, ABORT, operation.id);
      this.#host.drain();
    };
    signal.addEventListener('abort', operation.onAbort);
    if (signal.aborted) operation.onAbort(); // by something that ran since it was looked at
  }

  /** The frame of an attempt; `undefined` where it cannot be encoded again. */
  frame(id, attempt) {
    const operation = this.#operations.get(id);
    if (attempt === id) return operation.frame;
    this.#retried.delete(operation.attempt);
    operation.attempt = attempt;
    this.#retried.set(attempt, operation);
    try {
      return this.#codec.again(operation, attempt);
    } catch (cause) {
      operation.failure = new RegateError('ENCODE_FAILED', { cause });
      return undefined;
    }
  }

  /** A frame came on a socket. */
  receive(socket, data) {
    let message;
    try {
      message = this.#codec.decode(data);
    } catch {
      if (this.#hears(socket)) this.#protocolError('a frame could not be decoded');
      return;
    }
    try {
      if (isResult(message)) this.messages += this.#settle(socket, message.id, message) ? 1 : 0;
      else if (this.#hears(socket)) this.#hearAll(socket, message);
    } catch (error) {
      this.#report(error); // what a codec of the application's own gives may throw when it is looked at
    }
  }

  /** What the first of a batch leads the application to do may end the connection that the rest came on. */
  #hearAll(socket, message) {
    if (!Array.isArray(message)) this.#hear(socket, message);
    else
      for (const one of message) {
        // A result is told to the core in any case, which knows whether the socket is still ours.
        if (isResult(one)) this.#settle(socket, one.id, one);
        else if (this.#core.heard(socket)) this.#guarded(() => this.#hear(socket, one));
      }
  }

  /** Whether a socket is still ours: then it said something. */
  #hears(socket) {
    if (!this.#core.heard(socket)) return false;
    this.messages += 1;
    return true;
  }

  #hear(socket, message) {
    if (message === null || typeof message !== 'object') this.#protocolError('a message is no object');
    else if (message.id === undefined || message.id === null) this.#notification(message);
    else this.#answer(socket, message);
  }

  #notification(message) {
    const { method, params } = message;
    if (typeof method !== 'string') {
      const isRefusal = message.error !== undefined && message.error !== null;
      this.#protocolError(
        isRefusal
          ? 'an error without an id: the gateway understood nothing of a frame'
          : 'a message has neither an id nor a method',
      );
      return;
    }
    this.notifications += 1;
    for (const { subscription } of this.#issues) {
      if (!this.#guarded(() => subscription.takes(message))) continue;
      this.#guarded(() => subscription.tell(message));
      return;
    }
    this.#emit('notification', { method, params });
  }

  /** Calls what is the application's: its fault is its own, and nobody else's message is lost by it. */
  #guarded(call) {
    try {
      return call();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #answer(socket, message) {
    const id = numberOf(message.id);
    if (!Number.isSafeInteger(id) || id < 1) {
      this.#protocolError('an answer has an id that is no number of this client');
      return;
    }
    if (typeof message.method === 'string') {
      this.#protocolError('a gateway asked something of this client');
      return;
    }
    this.#settle(socket, id, message);
  }

  /** What became of an attempt; `false` where the socket is ours no more. */
  #settle(socket, id, message) {
    const { result, error } = message;
    const operation = this.#ofAttempt(id);
    const before = operation?.answer;
    if (operation !== undefined) operation.answer = message; // what comes of it may come at once
    let belongsTo;
    if (error !== undefined && error !== null) {
      const again = this.#mayRetry(operation, error);
      const number = again ? error.data?.retryAfterMilliseconds : error.code;
      const kind = again ? RETRYABLE : ERROR;
      belongsTo = this.#core.answered(socket, id, kind, Number.isFinite(number) ? number : 0);
    } else {
      belongsTo = this.#core.answered(socket, id, result === undefined ? NEITHER : RESULT, 0);
    }
    if (belongsTo > 0) {
      this.#end(operation);
      operation.succeed(result);
      return true;
    }
    if (!(belongsTo < 0)) {
      if (operation !== undefined) operation.answer = before;
      if (this.#left.size > 0 && belongsTo === 0) this.#leave(id, result);
    }
    this.#host.drain(); // the next message of the frame may be for what this one began
    return !Number.isNaN(belongsTo);
  }

  /** What is in flight, or was, under this id as its last. */
  #ofAttempt(id) {
    const operation = this.#operations.get(id) ?? this.#retried.get(id);
    return operation?.attempt === id ? operation : undefined;
  }

  #leave(id, name) {
    const leave = this.#left.get(id);
    this.#left.delete(id);
    if (name !== undefined) leave?.(name);
  }

  #mayRetry(operation, error) {
    if (operation === undefined) return false; // it is nobody's
    const isRetryable = operation.call.isRetryable ?? this.#isRetryable;
    return this.#guarded(() => isRetryable(error)) === true;
  }

  #protocolError(reason) {
    this.protocolErrors += 1;
    this.#emit('protocolerror', { reason });
  }

  #end(operation) {
    const { id, attempt } = operation;
    this.#operations.delete(id);
    if (attempt !== id) this.#retried.delete(attempt);
    operation.end(this.#issues);
  }

  /** An operation is settled otherwise than by the answer at hand. */
  settled(notice) {
    const operation = this.#operations.get(notice.operation);
    this.#end(operation);
    const { code, completion } = notice;
    if (code === undefined) operation.succeed(operation.answer.result);
    else if (operation.failure !== undefined) {
      operation.failure.completion = completion;
      operation.fail(operation.failure, completion);
    } else if (code === 'ABORTED') operation.fail(operation.call.signal?.reason, completion);
    else operation.fail(this.#errorOf(notice, operation), completion);
  }

  /** A subscription was answered. */
  subscribed({ operation: id, resumed }) {
    const { subscription, answer } = this.#operations.get(id);
    subscription.begin(answer?.result, resumed);
  }

  /** The connection is lost: subscriptions hear nothing until they are issued again. */
  pause() {
    this.#left.clear();
    for (const { subscription } of this.#issues) subscription.pause();
  }

  #errorOf(notice, operation) {
    const { code, completion, attempts, milliseconds: elapsedMilliseconds, gateway, closeCode } = notice;
    const fields = { completion, attempts, elapsedMilliseconds, gateway };
    if (notice.answered) {
      fields.cause = operation.answer.error ?? operation.answer;
      if (code === 'REMOTE_ERROR' && Number.isInteger(fields.cause?.code))
        fields.detail = `code ${fields.cause.code}`;
    } else if (code === 'CONNECTION_LOST') fields.closeCode = closeCode;
    else if (notice.cause !== undefined) fields.cause = lossOf(notice);
    if (code === 'CLIENT_CLOSED') fields.cause ??= this.gaveUpWith;
    if (code === 'MESSAGE_TOO_BIG')
      fields.detail =
        notice.attempts === 0 ? 'longer than limits.maxMessageBytes' : 'the gateway closed with 1009';
    if (code === 'CONNECTION_LOST' && notice.cause !== undefined) fields.detail = lossText(notice);
    if (code === 'CONNECT_TIMEOUT' || code === 'NO_GATEWAY')
      fields.failures = failuresOf(this.#core.tell(FAILURES));
    return new RegateError(code, fields);
  }
}

function lossOf(notice) {
  const { gateway, closeCode, attempts, milliseconds: elapsedMilliseconds, completion } = notice;
  const fields = { completion, attempts, elapsedMilliseconds, gateway, closeCode, detail: lossText(notice) };
  return new RegateError('CONNECTION_LOST', fields);
}

function lossText(notice) {
  return `${notice.gateway}: ${causeOf(notice)}`;
}
