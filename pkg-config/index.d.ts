/**
 * Keeps an app talking to a cluster through a list of WebSocket gateways.
 *
 * regate dials the gateways round by round on a TcpTimeouts schedule, knows the state of its
 * connection, decides for every failed operation whether it may be run again, and says truthfully
 * whether it may have been performed.
 *
 * @example
 * ```ts
 * import { connect } from 'regate';
 *
 * const client = await connect({ gateways: ['wss://a.example/ws', 'wss://b.example/ws'] });
 * const value = await client.invoke<string>('map.get', ['k'], { readOnly: true });
 * client.close();
 * ```
 *
 * @packageDocumentation
 */

/** A gateway: its URL, and the sub-protocols to offer it where they differ from `protocols`. */
export type Gateway = string | { readonly url: string; readonly protocols?: string | readonly string[] };

/** Where the connection stands: `idle` → `connecting` → `connected` → (`reconnecting` → `connected`)* → `closed`. */
export type ClientState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** What a failure of a gateway means for the round: see the README for the table. */
export type Verdict = 'next' | 'same' | 'refresh' | 'stop';

/**
 * What is known of a failed operation: `no`, it was not performed; `yes`, the cluster ran it and
 * answered with an error; `maybe`, it may have been performed.
 */
export type Completion = 'no' | 'yes' | 'maybe';

/** How gateways are dialled. Times are whole milliseconds. */
export interface NetworkingOptions {
  /**
   * The waits between rounds, `initial:max:backoff[:maxsingle]`: ms, ms, percent, ms.
   *
   * Every gateway is dialled once without a pause, then comes the next wait; each is the one before
   * times `(backoff + 100) / 100`, never above `maxsingle`, and waits are taken while their sum is
   * below `max`. Source: the ORB's connect timeouts, 16 waits that sum to 62,750 ms.
   *
   * @default "250:60000:100:5000"
   */
  readonly connectTimeouts?: string;
  /**
   * How long a socket that turns out not to be open may go without a `close` event: the waits of
   * this schedule added up. Source: the ORB's read timeouts, 7,280 ms in all.
   *
   * @default "2000:6000:20"
   */
  readonly readTimeouts?: string;
  /**
   * The limit of one dial, 1..=2147483647. Source: Hazelcast has 5000, but a browser may itself
   * hold a dial for 5 s, and a shorter limit would give up dials that were never made.
   *
   * @default 10000
   */
  readonly connectionTimeoutMilliseconds?: number;
  /**
   * Whether this client draws an order of its own, so that a fleet spreads over the gateways.
   * Source: Hazelcast.
   *
   * @default true
   */
  readonly shuffleAddresses?: boolean;
  /**
   * Whether operations that are not `readOnly` may be run again too. Source: Hazelcast.
   *
   * @default false
   */
  readonly redoOperations?: boolean;
  /**
   * What follows the loss of a connection: reconnect for as long as it takes (the last wait of the
   * schedule repeats), until the schedule is spent, or never. Source: Hazelcast.
   *
   * @default "always"
   */
  readonly reconnect?: 'always' | 'schedule' | 'never';
  /**
   * Whether the first `connect()` gives up when the schedule is spent, or goes on as after a loss.
   * Source: the ORB.
   *
   * @default "schedule"
   */
  readonly firstConnect?: 'schedule' | 'always';
  /**
   * By how much of itself each wait may be shortened, 0..=1, so that clients do not move in step.
   * 0 is the exact schedule. It never lengthens a wait.
   *
   * @default 0.2
   */
  readonly jitter?: number;
  /**
   * How long a connection must last before its loss is forgiven: a connection lost sooner counts
   * as a failed dial of its gateway. 0 forgives at open. The default is the longest wait of the
   * default schedule.
   *
   * @default 5000
   */
  readonly steadyMilliseconds?: number;
}

/** How operations are run again. Each can also be given for one call. */
export interface MessagingOptions {
  /**
   * Seconds from the call within which attempts may start. 0 is no retry at all, and no limit to
   * waiting before the first attempt. Source: Hazelcast.
   *
   * @default 120
   */
  readonly retryTimeoutSeconds?: number;
  /**
   * How many attempts, the first included, follow each other without a delay. 0: every retry is
   * delayed. Source: Hazelcast.
   *
   * @default 5
   */
  readonly maxFastInvocationCount?: number;
  /**
   * The first delay between attempts, at least 1; each next one is twice as long. Source: Hazelcast.
   *
   * @default 1000
   */
  readonly minRetryDelayMilliseconds?: number;
  /**
   * Whether an operation that was in flight on a lost connection may be run again, if it may be at
   * all. Source: Hazelcast.
   *
   * @default true
   */
  readonly retryOnConnectionLost?: boolean;
  /**
   * Whether an operation may wait for a client that reconnects, if it may be run again. Source:
   * Hazelcast.
   *
   * @default true
   */
  readonly retryOnClientReconnecting?: boolean;
  /**
   * Whether operations that may not be run again wait for a reconnecting client too, as long as
   * they were never sent.
   *
   * @default false
   */
  readonly retryUnsentOperations?: boolean;
  /**
   * How long an answer may take from the sending on. 0 is no limit. Source: the ORB, 30 minutes.
   *
   * @default 1800000
   */
  readonly waitForResponseMilliseconds?: number;
  /**
   * By how much of itself a delay between attempts may be lengthened, 0..=1. 0 is exact delays.
   *
   * @default 0
   */
  readonly jitter?: number;
}

/** How much may be pending. Beyond it `invoke` rejects at once with `OVERLOADED`. */
export interface LimitOptions {
  /**
   * How many operations may wait for a connection or for their next attempt. 0: none may.
   *
   * @default 10000
   */
  readonly maxPendingOperations?: number;
  /**
   * How many operations may be sent and unanswered. 0 is no limit.
   *
   * @default 100000
   */
  readonly maxInFlightOperations?: number;
}

/** Something to log to. It is called a handful of times an outage, whatever its length. */
export interface Logger {
  /** The client gave up. */
  error(message: string): void;
  /** A connection has become steady again. */
  info(message: string): void;
  /** An outage began, or goes on. */
  warn(message: string): void;
}

/**
 * The options of a client. A wrong name or value is `INVALID_OPTION`, before anything is dialled.
 *
 * The names of an existing Hazelcast or ORB configuration are understood as well, nested or dotted.
 */
export interface ClientOptions {
  /** The gateways, equals of each other, at least one. Exact duplicates count once. */
  readonly gateways: readonly Gateway[];
  /** Sub-protocols to offer every gateway that has none of its own. */
  readonly protocols?: string | readonly string[];
  /** How gateways are dialled. */
  readonly networking?: NetworkingOptions;
  /** How operations are run again. */
  readonly messaging?: MessagingOptions;
  /** How much may be pending. */
  readonly limits?: LimitOptions;
  /**
   * Where log lines go; `null` is silence.
   *
   * @default console
   */
  readonly logger?: Logger | null;
  /**
   * The class to make sockets of, where the platform has none or another is wanted.
   *
   * @default globalThis.WebSocket
   */
  readonly WebSocket?: new (
    url: string,
    protocols?: string | string[],
  ) => unknown;
  /** What chance starts from, 0..=2^53-1: the same seed makes the same choices. Drawn where left out. */
  readonly seed?: number;
  /** Names of an existing configuration, dotted or nested: read where known, reported once where not. */
  readonly [existing: `hazelcast.${string}` | `com.sun.corba.ee.${string}`]: unknown;
  /** The same, nested. */
  readonly hazelcast?: object;
  /** The same, nested. */
  readonly com?: object;
}

/** How one `connect()` may be given up. */
export interface ConnectOptions {
  /** Aborted while connecting: the promise rejects with its reason and the client is closed. */
  readonly signal?: AbortSignal;
}

/** What one call asks for, beside settings of `messaging` of its own. */
export interface CallOptions extends MessagingOptions {
  /** The operation changes nothing, so it may be run again. */
  readonly readOnly?: boolean;
  /** Whether this operation may be run again although it changes something. */
  readonly redoOperations?: boolean;
  /** Aborted: the promise rejects with its reason, and a frame that has not left never will. */
  readonly signal?: AbortSignal;
  /** How long the operation may take in all its attempts; then it fails with `TIMEOUT`. */
  readonly timeoutMilliseconds?: number;
}

/** Why a gateway failed last; a gateway is shown by its origin and position, as URLs hold secrets. */
export interface GatewayFailure {
  /** Origin and position, such as `wss://a.example [0]`. */
  readonly gateway: string;
  /** What happened, in words. */
  readonly cause: string;
  /** The code of the close event, if there was one. */
  readonly closeCode?: number;
}

/** What an error of regate is about. These strings never change their meaning. */
export type RegateErrorCode =
  /** The client is closed. */
  | 'CLIENT_CLOSED'
  /** Never sent: the client is reconnecting, and the operation may not wait. */
  | 'CLIENT_RECONNECTING'
  /** The connection was lost, and the operation may not be run again. */
  | 'CONNECTION_LOST'
  /** The connect schedule was spent before a gateway opened. */
  | 'CONNECT_TIMEOUT'
  /** The request could not be encoded; see `cause`. */
  | 'ENCODE_FAILED'
  /** The wasm could not be loaded; the message says what to do. */
  | 'INIT_FAILED'
  /** An option or an argument is wrong; the message gives its name, its value and the rule. */
  | 'INVALID_OPTION'
  /** The gateway closed the connection because this message was too big for it. */
  | 'MESSAGE_TOO_BIG'
  /** `init()` was not awaited yet. */
  | 'NOT_INITIALISED'
  /** No gateway is left that may be dialled. */
  | 'NO_GATEWAY'
  /** The platform has no WebSocket, and the option `WebSocket` gave none. */
  | 'NO_WEBSOCKET'
  /** More operations are pending than the limits allow. */
  | 'OVERLOADED'
  /** The answer had neither a result nor an error. */
  | 'PROTOCOL_ERROR'
  /** The gateway answered with an error: it is the `cause`. */
  | 'REMOTE_ERROR'
  /** No answer came within `waitForResponseMilliseconds`. */
  | 'RESPONSE_TIMEOUT'
  /** `retryTimeoutSeconds` were over; the `cause` is what ended the last attempt. */
  | 'RETRY_TIMEOUT'
  /** `timeoutMilliseconds` were over. */
  | 'TIMEOUT'
  /** The socket belongs to another request of the Worker. */
  | 'WRONG_CONTEXT';

/** Every error that regate makes. */
export class RegateError extends Error {
  private constructor();
  readonly name: 'RegateError';
  /** What went wrong. */
  readonly code: RegateErrorCode;
  /** Whether the operation may have been performed. */
  readonly completion: Completion;
  /** How often the operation was handed to a socket. */
  readonly attempts: number;
  /** From the call to the failure. */
  readonly elapsedMilliseconds: number;
  /** The gateway of the last attempt: origin and position. */
  readonly gateway: string | undefined;
  /** The close code of a lost connection, where there was one. */
  readonly closeCode?: number;
  /** With `CONNECT_TIMEOUT` and `NO_GATEWAY`: the last failure of each gateway. */
  readonly failures?: readonly GatewayFailure[];
  /** What it was caused by: the error that a gateway answered with, or another `RegateError`. */
  readonly cause?: unknown;
}

/** The events of a client, by name. Each is a `CustomEvent` with such a `detail`. */
export interface ClientEvents {
  /** The state changed. */
  statechange: {
    readonly from: ClientState;
    readonly to: ClientState;
    /** `opened`, `requested`, `aborted`, the code of an error, or how the connection was lost. */
    readonly reason: string;
    readonly gateway?: string;
    readonly closeCode?: number;
  };
  /** The dial of a gateway began. Rounds are counted from 1. */
  dial: { readonly gateway: string; readonly round: number };
  /** A dial failed. */
  dialfailed: {
    readonly gateway: string;
    readonly verdict: Verdict;
    readonly cause: string;
    readonly closeCode?: number;
  };
  /** A wait began; `round` follows it. */
  waiting: { readonly milliseconds: number; readonly round: number };
  /** A message without an id came. */
  notification: { readonly method: string; readonly params: unknown };
  /** A message came that is none; it was counted and dropped. */
  protocolerror: { readonly reason: string };
}

/** Counters since the client was made, and gauges of now. */
export interface ClientStats {
  readonly state: ClientState;
  /** Sockets asked for. */
  readonly dials: number;
  /** Frames that came. */
  readonly messagesReceived: number;
  /** Operations that wait for a connection or for their next attempt: now. */
  readonly pendingOperations: number;
  /** Operations sent and unanswered: now. */
  readonly inFlightOperations: number;
  /** Frames of operations handed to a socket. */
  readonly attempts: number;
  /** Attempts beyond the first of their operation. */
  readonly retries: number;
  /** Operations refused because of a limit. */
  readonly overloaded: number;
  /** Answers that belonged to nothing in flight: late, repeated or made up. */
  readonly unmatchedAnswers: number;
  /** Messages that could not be understood. */
  readonly protocolErrors: number;
}

/** A listener to one of the events. */
export type ClientListener<Name extends keyof ClientEvents> =
  | ((event: CustomEvent<ClientEvents[Name]>) => void)
  | { handleEvent(event: CustomEvent<ClientEvents[Name]>): void };

/**
 * A client of a cluster. It belongs to the page, request or Durable Object that connected it.
 *
 * @example
 * ```ts
 * await init();
 * const client = new ClusterClient({ gateways: ['wss://a.example/ws'] });
 * client.addEventListener('statechange', ({ detail }) => console.log(detail.from, detail.to));
 * await client.connect();
 * ```
 */
export class ClusterClient {
  /**
   * Reads the options; dials nothing.
   *
   * @throws RegateError `INVALID_OPTION`, or `NOT_INITIALISED` before `init()`.
   */
  constructor(options: ClientOptions);

  /** Where the connection stands. */
  readonly state: ClientState;

  /** The full URL of the gateway that is connected. It may hold a secret: do not log it. */
  readonly gateway: string | undefined;

  /**
   * Connects to the first gateway that opens, or joins the connecting that is under way.
   *
   * @returns a promise of the next `connected`. It rejects with `CONNECT_TIMEOUT` when the schedule
   * is spent, `NO_GATEWAY`, `NO_WEBSOCKET`, `CLIENT_CLOSED`, or the reason of the signal.
   */
  connect(options?: ConnectOptions): Promise<void>;

  /**
   * Dials now: ends a running wait and begins the schedule afresh, or drops the connection and
   * takes the next gateway. On an idle or closed client it is `connect()`.
   */
  reconnect(): void;

  /** Closes at once: settles every operation with `CLIENT_CLOSED`. Nothing happens afterwards until `connect()`. */
  close(): void;

  /** As `close()`. */
  [Symbol.dispose](): void;

  /**
   * Asks the cluster for something. Not connected yet, the operation waits.
   *
   * @param method a name that the gateways know
   * @param params what JSON can hold: an array or an object
   * @returns a promise of the result. It rejects with a `RegateError`, whose `completion` says
   * whether the operation may have been performed, or with the reason of the signal.
   */
  invoke<T = unknown>(
    method: string,
    params?: readonly unknown[] | object,
    options?: CallOptions,
  ): Promise<T>;

  /**
   * Sends a message that has no answer, if that is possible at this moment.
   *
   * @returns what became of it: `sent` to the socket, or `dropped`.
   * @throws RegateError `INVALID_OPTION` or `ENCODE_FAILED`.
   */
  notify(method: string, params?: readonly unknown[] | object): 'sent' | 'dropped';

  /** Counters and gauges, as a plain object of its own. */
  stats(): ClientStats;

  /** As `EventTarget` has it. */
  addEventListener<Name extends keyof ClientEvents>(
    name: Name,
    listener: ClientListener<Name> | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal; passive?: boolean; capture?: boolean },
  ): void;

  /** As `EventTarget` has it. */
  removeEventListener<Name extends keyof ClientEvents>(
    name: Name,
    listener: ClientListener<Name> | null,
    options?: boolean | { capture?: boolean },
  ): void;

  /** As `EventTarget` has it. */
  dispatchEvent(event: Event): boolean;
}

/** What the wasm can be made of. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the wasm, once: later and concurrent calls share the first one's promise.
 *
 * @param source where it is, where the entry's own place for it does not do
 * @returns a promise that rejects with `INIT_FAILED`, whose message says what to do
 */
export function init(source?: WasmSource | Promise<Response>): Promise<void>;

/** `init()`, a client of these options, and its first connection; a client that fails is closed. */
export function connect(options: ClientOptions & ConnectOptions): Promise<ClusterClient>;

/** A schedule, parsed. */
export interface TcpTimeouts {
  /**
   * All waits in milliseconds, without jitter.
   *
   * @throws RegateError `INVALID_OPTION` for a schedule of more than 100,000 waits.
   */
  waits(): number[];
  /** What is legal but probably not meant, in words. */
  warnings(): string[];
  /** The text it was made from. */
  toString(): string;
}

/**
 * Parses a schedule `initial:max:backoff[:maxsingle]`.
 *
 * @example
 * ```ts
 * tcpTimeouts('2000:6000:20').waits(); // [2000, 2400, 2880]
 * ```
 *
 * @throws RegateError `INVALID_OPTION`, or `NOT_INITIALISED` before `init()`.
 */
export function tcpTimeouts(text: string): TcpTimeouts;
