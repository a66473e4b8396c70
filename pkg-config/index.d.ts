/**
 * Keeps an app talking to a cluster through a list of WebSocket gateways.
 *
 * regate dials the gateways round by round on a TcpTimeouts schedule, knows the state of its
 * connection, decides for every failed operation whether it may be run again, and says truthfully
 * whether it may have been performed.
 *
 * Where a default says "Source: the ORB", it is that of the GlassFish ORB's TcpTimeouts; "Source:
 * Hazelcast" is the Hazelcast .NET client, whose rules for failed operations these are. Where no
 * source is named, the default is ours. The reason of each is in the repository, in
 * `src/docs/numbers.md`; what the words mean is in its README.
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

/**
 * What a failure of a gateway means for the round:
 *
 * - `next`: the next gateway is dialled; after the round comes a wait. By default what is not named below.
 * - `same`: the same gateway is dialled again, after the next wait. Never by default.
 * - `refresh`: as `next`, after a list function was asked again; said twice by one gateway without a
 *   steady connection between, it is `stop`. By default 1008, 4401, 4403, and the HTTP status 401 or 403.
 * - `stop`: the gateway is not dialled again until `setGateways`, or `connect()` on a closed client;
 *   when none is left, the client gives up, whatever `reconnect` says. By default 1002,
 *   1010, 4400 to 4499 but 4401, 4403, 4408, 4429, and 1003 and 1007 when nothing was in flight.
 */
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
   * How long a dial may neither open nor fail before the next gateway is dialled beside it,
   * 0..=2147483647; 0 for never. The first to open wins, the other is abandoned, which is no failure
   * of its gateway. Never more than two at a time.
   *
   * @default 2000
   */
  readonly dialStaggerMilliseconds?: number;
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
  /**
   * By how much at most the first dial after a loss is put off, drawn anew each time: for fleets so
   * large that all of it moving at once would sink the next gateway. 0 is at once.
   *
   * @default 0
   */
  readonly failoverSpreadMilliseconds?: number;
  /**
   * How long the session hook may take, at least 1. The default is as long as a dial.
   *
   * @default 10000
   */
  readonly sessionTimeoutMilliseconds?: number;
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
  /**
   * Whether an error that a gateway answered with means "not performed, try again". Whoever says so
   * of what was performed has it performed twice.
   *
   * @default (error) => error.data?.retryable === true
   */
  readonly isRetryable?: (error: RemoteError) => boolean;
}

/** An error as a gateway answers with it. */
export interface RemoteError {
  readonly code?: number;
  readonly message?: string;
  /** `retryable` says "not performed, try again", `retryAfterMilliseconds` how soon at the earliest. */
  readonly data?: { readonly retryable?: boolean; readonly retryAfterMilliseconds?: number };
}

/** How the line is watched. */
export interface HeartbeatOptions {
  /**
   * After how long a silence a ping is sent. While no byte answers it, the waits of `readTimeouts`
   * run, with a ping each; then the line is dead. 0 is never.
   *
   * @default 15000
   */
  readonly periodMilliseconds?: number;
  /** The method that a ping calls: any answer will do, "method not found" too. @default "ping" */
  readonly method?: string;
}

/**
 * How much may be pending. The limits are checked when an operation is made, and only then: one that
 * is over a limit fails at once with `OVERLOADED`. So when a connection is lost and all operations in
 * flight have to wait, more may wait than `maxPendingOperations` says; none of them is refused.
 */
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
  /**
   * How many bytes may wait, and how many may the platform still have to send, in UTF-8. 0: nothing
   * may wait.
   *
   * @default 16777216
   */
  readonly maxBufferedBytes?: number;
  /**
   * How many bytes one frame may have, in UTF-8; a longer one is `MESSAGE_TOO_BIG`. 0 is no limit.
   *
   * @default 0
   */
  readonly maxMessageBytes?: number;
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
  /**
   * The gateways, equals of each other, at least one. Exact duplicates count once.
   *
   * A function is asked before every round, and before the first dial after a loss, so that each
   * dial has a fresh token; a gateway is the same as before where its URL is, without query and
   * user info. It may take as long as a dial. If it fails, or takes longer, or gives no list, that
   * counts as a round in which every gateway failed: the next wait follows.
   */
  readonly gateways: readonly Gateway[] | (() => readonly Gateway[] | Promise<readonly Gateway[]>);
  /** Sub-protocols to offer every gateway that has none of its own. */
  readonly protocols?: string | readonly string[];
  /** How gateways are dialled. */
  readonly networking?: NetworkingOptions;
  /** How operations are run again. */
  readonly messaging?: MessagingOptions;
  /** How much may be pending. */
  readonly limits?: LimitOptions;
  /** How the line is watched. Off for a codec without `ping`. */
  readonly heartbeat?: HeartbeatOptions;
  /**
   * `'turn'`: operations that are made in one turn go out as one JSON-RPC batch, when the turn is over (in a microtask).
   * For gateways that answer a batch with a batch: many small operations at once then cost a fraction of what a message
   * each costs. A gateway that answers one by one makes it slower instead, and of one that refuses batches nothing is heard but
   * a `protocolerror`: the operations wait for their answers until their time is over. Each operation keeps its own completion, its own
   * retries and its own `signal`: one that is aborted in its turn is never sent. One alone goes as a plain object; texts over
   * 4,096 characters go alone, and so do operations with `boundToConnection` or settings of their own. No batch is longer than
   * `limits.maxMessageBytes`, or 1 MiB where that is 0. Not with a `codec`. Default: each operation goes at once.
   *
   * @example
   * ```ts
   * import { connect } from 'regate';
   * const client = await connect({ gateways: ['wss://a.example/rpc'], batch: 'turn' });
   * const balances = await Promise.all(['a', 'b', 'c'].map((account) => client.invoke('balance', [account], { readOnly: true })));
   * ```
   */
  readonly batch?: 'turn';
  /**
   * Runs on every new socket before the state is `connected`: to log in, or to restore something.
   * Its failure is a failed dial; the error it throws may carry a `verdict`. Await only what the
   * connection it is given sends: `client.invoke` waits for the state `connected`, which comes after
   * the hook, so a hook that awaits it runs into `sessionTimeoutMilliseconds`.
   */
  readonly session?: (connection: SessionConnection) => unknown;
  /**
   * Says what a failure of a gateway means, where the default will not do: a verdict, or also the
   * least length of the next wait. A throw or an unknown answer takes the default.
   */
  readonly closePolicy?: (failure: Failure) => Verdict | Judgement | undefined;
  /** What to speak instead of JSON-RPC 2.0. */
  readonly codec?: Codec;
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
  /**
   * How gateways are dialled: by the class `WebSocket`, or, in Cloudflare Workers only, by `fetch`.
   * That can send `headers`, and sees the HTTP status that a gateway refuses with; elsewhere it is
   * `INVALID_OPTION`. User and password in a URL are sent by neither in Workers: use `headers`.
   *
   * @default "websocket"
   */
  readonly transport?: 'websocket' | 'fetch';
  /**
   * Headers of the handshake, with the transport "fetch". They are taken to be secrets: no error, event
   * or log line shows one. A function is asked at each dial, with the URL of the gateway, so that each
   * has a fresh token; its failure is reported, fails the dial, and is the `cause` of CONNECT_TIMEOUT.
   *
   * @example
   * ```ts
   * headers: async () => ({ authorization: `Bearer ${await token()}` })
   * ```
   */
  readonly headers?: HandshakeHeaders | ((gateway: string) => HandshakeHeaders | Promise<HandshakeHeaders>);
  /**
   * The seed of the random choices (order of the gateways, jitter), 0..=2^53-1: the same seed makes
   * the same choices. Left out, each client draws its own.
   */
  readonly seed?: number;
  /** Names of an existing configuration, dotted or nested: read where known, reported once where not. */
  readonly [dotted: `hazelcast.${string}` | `com.sun.corba.ee.${string}`]: unknown;
  /** The groups of options may be written dotted too. */
  readonly [dotted: `networking.${string}` | `messaging.${string}`]: unknown;
  /** The groups of options may be written dotted too. */
  readonly [dotted: `limits.${string}` | `heartbeat.${string}`]: unknown;
  /** The same, nested. */
  readonly hazelcast?: object;
  /** The same, nested. */
  readonly com?: object;
}

/**
 * Names and values of headers, such as an object or a `Headers`. Values are visible ASCII characters,
 * spaces and tabs; names that are the handshake's own (`Host`, `Upgrade`, `Sec-WebSocket-…`) are wrong.
 */
export type HandshakeHeaders = Readonly<Record<string, string>> | Iterable<readonly [string, string]>;

/** The connection of a session hook: what it sends goes out on the new socket, and is never run again. */
export interface SessionConnection {
  /** Origin and position of the gateway. */
  readonly gateway: string;
  /** As `client.invoke`. */
  invoke<T = unknown>(
    method: string,
    params?: readonly unknown[] | object,
    options?: CallOptions,
  ): Promise<T>;
  /** As `client.notify`. */
  notify(method: string, params?: readonly unknown[] | object): 'sent' | 'dropped';
}

/** A failure that `closePolicy` is asked about. */
export interface Failure {
  /**
   * The close code; 1006 when there was only an error, null for a dial limit, a lost heartbeat or a
   * refusal whose `status` is known.
   */
  readonly code: number | null;
  /** The HTTP status that the handshake was refused with, where the transport "fetch" saw one. */
  readonly status: number | null;
  /** What the gateway said when it closed. */
  readonly reason: string;
  /** Origin and position. */
  readonly gateway: string;
  /** What the failure means by default. */
  readonly verdict: Verdict;
}

/** What `closePolicy` says. */
export interface Judgement {
  /** What the failure means; left out, the default. */
  readonly verdict?: Verdict;
  /** The least length of the next wait, 0..=2147483647; no jitter shortens it. */
  readonly waitMilliseconds?: number;
}

/** A request or, without an id, a notification, for a codec to encode. */
export interface CodecRequest {
  /** The id that the answer must carry; undefined for a notification. */
  readonly id: number | undefined;
  readonly method: string;
  readonly params: unknown;
  /** With an operation key. */
  readonly meta: { readonly operationKey: string } | undefined;
}

/** A message that came: an answer, with `id` and `result` or `error`, or a notification. */
export interface CodecMessage {
  readonly id?: number | string | null;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly method?: string;
  readonly params?: unknown;
}

/** What a client speaks. Frames come as texts and `ArrayBuffer`s, in order. */
export interface Codec {
  /** Encodes a request; called again, under another id, for each further attempt. Workers send no Blob: `ENCODE_FAILED`. */
  encode(request: CodecRequest): string | ArrayBuffer | ArrayBufferView | Blob;
  /** Decodes a frame to a message, or several; a throw is a protocol error, and the frame is dropped. */
  decode(frame: string | ArrayBuffer): CodecMessage | readonly CodecMessage[];
  /** A frame that any gateway answers. Without it there is no heartbeat. */
  ping?(id: number): string | ArrayBuffer | ArrayBufferView | Blob;
}

/** A subscription: issued again on every connection, in the order of their making. */
export interface Subscription {
  /** Whether the gateway that is connected has answered it. */
  readonly isLive: boolean;
  /** How often it was issued again: each time messages may have been missed. */
  readonly resumed: number;
  /** Resolves when it was given up; rejects when the gateway refused it, or the client was closed. */
  readonly ended: Promise<void>;
  /** Gives it up, and tells the gateway if it knows of it. */
  unsubscribe(): void;
}

/** How a subscription is routed and ended. */
export interface SubscribeOptions {
  /**
   * Whether a notification is for it; left out, `params.subscription` must be what the gateway answered. Where it is for several
   * subscriptions, the one that was made first gets it.
   */
  readonly route?: (notification: { readonly method: string; readonly params: unknown }) => boolean;
  /** What ends it at the gateway; left out, `…unsubscribe` where the method ends in `…subscribe`. */
  readonly unsubscribeMethod?: string;
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
  /** How long the operation may take in all its attempts, 0..=2^53-1; then it fails with `TIMEOUT`. Left out, no limit. */
  readonly timeoutMilliseconds?: number;
  /** It makes sense on the connection of this moment only: with that it fails, `CONNECTION_LOST`. */
  readonly boundToConnection?: boolean;
  /**
   * A key that stays the same over the attempts, sent as `meta: { operationKey }`; `true` draws
   * one. A gateway that remembers keys performs a redone operation once.
   */
  readonly operationKey?: boolean | string;
}

/** Why a gateway failed last; a gateway is shown by its origin and position, as URLs hold secrets. */
export interface GatewayFailure {
  /** Origin and position, such as `wss://a.example [0]`; `gateways` where the list function gave no list. */
  readonly gateway: string;
  /** What happened, in words. */
  readonly cause: string;
  /** The code of the close event, if there was one. */
  readonly closeCode?: number;
  /** The HTTP status that the handshake was refused with, if there was one. */
  readonly status?: number;
}

/** What an error of regate is about. These strings never change their meaning. */
export type RegateErrorCode =
  /** The client is closed. Where it gave up, the `cause` is the error that it gave up with; `connect()` begins afresh. */
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
  /** An option or an argument is wrong; the message gives its name, its rule, and a value that can be no secret. */
  | 'INVALID_OPTION'
  /**
   * The message is longer than `limits.maxMessageBytes`, and was not sent; or the gateway closed the
   * connection with 1009 while nothing else was in flight.
   */
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

/**
 * Every error that regate makes.
 *
 * @example
 * ```ts
 * try {
 *   await client.invoke('queue.offer', ['x']);
 * } catch (error) {
 *   if (!(error instanceof RegateError)) throw error;
 *   if (error.completion === 'no') console.log('not performed: offer it again');
 * }
 * ```
 */
export class RegateError extends Error {
  private constructor();
  readonly name: 'RegateError';
  /** What went wrong. */
  readonly code: RegateErrorCode;
  /** Whether the operation may have been performed. */
  readonly completion: Completion;
  /** How often the operation was handed to a socket. */
  readonly attempts: number;
  /** From the call to the failure, in ms. */
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
    readonly status?: number;
  };
  /** A wait began; `round` follows it. */
  waiting: { readonly milliseconds: number; readonly round: number };
  /** The list function failed, or what it gave is no list: a failed round. What it threw is the `cause` of CONNECT_TIMEOUT. */
  gatewaysfailed: { readonly reason: string };
  /** The session hook threw this. */
  sessionfailed: { readonly gateway: string; readonly error: unknown };
  /** A message without an id came that no subscription takes. */
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
  /** Subscriptions that have not ended: now. */
  readonly subscriptions: number;
  /** Operations answered with a result. */
  readonly succeeded: number;
  /**
   * Operations that failed with the completion `no`. Calls that were refused before an operation was
   * made are not counted: a wrong argument, a signal that was aborted already, `ENCODE_FAILED`.
   */
  readonly failedNo: number;
  /** Operations that failed with the completion `maybe`. */
  readonly failedMaybe: number;
  /** Operations that failed with the completion `yes`. */
  readonly failedYes: number;
  /** Frames of operations handed to a socket. */
  readonly attempts: number;
  /** Attempts beyond the first of their operation. */
  readonly retries: number;
  /** Operations refused because of a limit. */
  readonly overloaded: number;
  /** Answers that belonged to nothing in flight: late, repeated or made up. */
  readonly unmatchedAnswers: number;
  /** Messages without an id. */
  readonly notifications: number;
  /** Messages that could not be understood. */
  readonly protocolErrors: number;
}

/** A listener to one of the events. */
export type ClientListener<Name extends keyof ClientEvents> =
  | ((event: CustomEvent<ClientEvents[Name]>) => void)
  | { handleEvent(event: CustomEvent<ClientEvents[Name]>): void };

/**
 * A client of a cluster, and an `EventTarget`. It belongs to the page, request or Durable Object that
 * connected it.
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
   * Dials now: ends a running wait, and begins the schedule afresh if the client was connected
   * before; or drops the connection and takes the next gateway. On an idle or closed client it is
   * `connect()`.
   */
  reconnect(): void;

  /**
   * Replaces the list, or the function that gave it, by this list; it takes no function. A gateway
   * that is not in it is never dialled again, a connection to it stays until it is lost. Clears what
   * was held against gateways.
   *
   * @throws RegateError `INVALID_OPTION`
   */
  setGateways(gateways: readonly Gateway[]): void;

  /**
   * A promise of the end: it resolves when the client is closed, by whomever. In a request of a Worker
   * whose client outlives the response: `ctx.waitUntil(client.closed)`, as its timers and sockets end
   * with the request otherwise. A Durable Object needs none.
   */
  readonly closed: Promise<'closed'>;

  /**
   * Finishes what is pending, refuses what is new with `CLIENT_CLOSED`, then closes. Operations of a
   * client that was never connected are pending too: it waits until they fail with `RETRY_TIMEOUT`,
   * or for ever with `retryTimeoutSeconds` 0. `close()` ends that.
   */
  drain(): Promise<'closed'>;

  /** Closes at once: settles every operation with `CLIENT_CLOSED`. Nothing happens afterwards until `connect()`. */
  close(): void;

  /**
   * Asks the cluster for something. Not connected yet, the operation waits, for
   * `retryTimeoutSeconds` at the longest; it does not make an idle client dial.
   *
   * @param method a name that the gateways know
   * @param params what JSON can hold: an array or an object
   * @returns a promise of the result. It rejects with a `RegateError`, whose `completion` says
   * whether the operation may have been performed, or with the reason of the signal.
   *
   * @example
   * ```ts
   * const value = await client.invoke<string>('map.get', ['k'], { readOnly: true, timeoutMilliseconds: 2_000 });
   * const length = await client.invoke<number>('queue.offer', [value], { operationKey: true, redoOperations: true });
   * ```
   */
  invoke<T = unknown>(
    method: string,
    params?: readonly unknown[] | object,
    options?: CallOptions,
  ): Promise<T>;

  /**
   * Sends a message that has no answer, if the client is connected at this moment. What is over
   * `limits.maxMessageBytes`, or does not fit `maxBufferedBytes` beside what the socket still has to
   * send, is dropped.
   *
   * @returns what became of it: `sent` to the socket, or `dropped`.
   * @throws RegateError `INVALID_OPTION` or `ENCODE_FAILED`.
   */
  notify(method: string, params?: readonly unknown[] | object): 'sent' | 'dropped';

  /**
   * Asks to be told again and again. It is issued on every new connection until it is given up.
   *
   * @param listener gets what a notification holds as `params.result`, or with `route` its `params`,
   * and how often the subscription was resumed
   * @example
   * ```ts
   * const news = client.subscribe<string>('topic.subscribe', ['news'], (text, { resumed }) => console.log(text, resumed));
   * news.unsubscribe();
   * ```
   *
   * @throws RegateError `INVALID_OPTION` or `ENCODE_FAILED`
   */
  subscribe<T = unknown>(
    method: string,
    params: readonly unknown[] | object | undefined,
    listener: (value: T, info: { readonly resumed: number }) => void,
    options?: SubscribeOptions,
  ): Subscription;

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

/** As `close()`, for `using`. */
export interface ClusterClient extends Disposing {}

/** `[Symbol.dispose]`, where the library of the compiler knows it; it is there in any case. */
type Disposing = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol }
  ? { [Key in Dispose]: () => void }
  : object;

/** How a `GatewaySocket` goes round: the options of a client that mean something to a socket, and two of its own. */
export interface GatewaySocketOptions
  extends Pick<
    ClientOptions,
    'closePolicy' | 'headers' | 'logger' | 'protocols' | 'seed' | 'transport' | 'WebSocket'
  > {
  /** How gateways are dialled. Its `reconnect` counts only beside `reconnect: true`. */
  readonly networking?: Omit<NetworkingOptions, 'redoOperations' | 'sessionTimeoutMilliseconds'>;
  /** How much `buffer` may hold: messages, and bytes. A send beyond it throws a RegateError `OVERLOADED`. */
  readonly limits?: Pick<LimitOptions, 'maxBufferedBytes' | 'maxPendingOperations'>;
  /**
   * One object that comes back by itself: after each loss there is a `close` event in the state CONNECTING, and after
   * it another `open`. In the state CLOSED it is closed for good: by `close()`, or because it gave up.
   * Use it for code that does not open another socket when it lost one. The next socket of the class begins afresh.
   *
   * @default false
   */
  readonly reconnect?: boolean;
  /**
   * Takes sends before `open`, and with `reconnect` those between two connections; they go out first at `open`.
   * Without it such a send throws InvalidStateError, as with any WebSocket.
   *
   * @default false
   */
  readonly buffer?: boolean;
  /** The groups of options may be written dotted too. */
  readonly [dotted: `networking.${string}` | `limits.${string}`]: unknown;
}

/** An `error` event. It has a `RegateError` where the socket gave up: the reason, and what failed where. */
export interface GatewaySocketErrorEvent extends Event {
  /** `CONNECT_TIMEOUT`, `NO_GATEWAY`, `INIT_FAILED`, `NO_WEBSOCKET`, or `INVALID_OPTION` if found after `init()`. */
  readonly error?: RegateError;
}

/** A `close` event, as a WebSocket has it. */
export interface GatewaySocketCloseEvent extends Event {
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;
}

/** The events of a `GatewaySocket`, by name. */
export interface GatewaySocketEvents {
  open: Event;
  message: MessageEvent;
  error: GatewaySocketErrorEvent;
  close: GatewaySocketCloseEvent;
}

/** A listener to one of these events. */
export type GatewaySocketListener<Heard> =
  | ((event: Heard) => unknown)
  | { handleEvent(event: Heard): unknown };

/**
 * A WebSocket that goes round the gateways until one opens, for libraries that take a WebSocket class.
 *
 * It lives as any WebSocket does: CONNECTING without a sound while dials fail, `open` once, and after `close`
 * CLOSED for good. When it gives up it has an `error` and a `close` event with 1006. Made before `init()` it
 * starts that by itself; where that fails, or there is no WebSocket, the next socket tries again after 250 ms, and
 * ever later up to 5 s. In Workers `send` throws a TypeError for a Blob, which no WebSocket there can send. The
 * default of `networking.firstConnect` lets it give up after about a minute.
 *
 * `url` is what the constructor was given, `""` for a list; so no token of a list comes into a library's log.
 *
 * @example MQTT.js: the URL is ignored, the list wins
 * ```ts
 * const Gateways = GatewaySocket.over(['wss://a.example/mqtt', 'wss://b.example/mqtt']);
 * mqtt.connect('wss://cluster', { createWebsocket: (url, protocols) => new Gateways(url, protocols) });
 * ```
 *
 * @example graphql-ws, which stops for good at an `error` event: so the sockets never give up
 * ```ts
 * const Gateways = GatewaySocket.over(gateways, { networking: { firstConnect: 'always' } });
 * createClient({ url: 'wss://cluster', webSocketImpl: Gateways, retryAttempts: Infinity, retryWait: async () => {} });
 * ```
 */
export interface GatewaySocket {
  /** The full URL of the gateway while it is open. It may hold a secret: do not log it. */
  readonly gateway: string | undefined;
  readonly url: string;
  readonly protocol: string;
  readonly extensions: string;
  readonly bufferedAmount: number;
  readonly readyState: 0 | 1 | 2 | 3;
  readonly CONNECTING: 0;
  readonly OPEN: 1;
  readonly CLOSING: 2;
  readonly CLOSED: 3;
  binaryType: 'arraybuffer' | 'blob';
  onopen: ((event: Event) => unknown) | null;
  onmessage: ((event: MessageEvent) => unknown) | null;
  /** Hears `error` events. */
  onerror: ((event: GatewaySocketErrorEvent) => unknown) | null;
  onclose: ((event: GatewaySocketCloseEvent) => unknown) | null;

  /** As WebSocket has it; before `open` see `buffer`. */
  send(data: string | ArrayBufferLike | ArrayBufferView | Blob): void;
  /** As WebSocket has it. */
  close(code?: number, reason?: string): void;

  /** As `EventTarget` has it. */
  addEventListener<Name extends keyof GatewaySocketEvents>(
    name: Name,
    listener: GatewaySocketListener<GatewaySocketEvents[Name]> | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal; passive?: boolean; capture?: boolean },
  ): void;
  addEventListener(
    name: string,
    listener: GatewaySocketListener<Event> | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal; passive?: boolean; capture?: boolean },
  ): void;

  /** As `EventTarget` has it. */
  removeEventListener<Name extends keyof GatewaySocketEvents>(
    name: Name,
    listener: GatewaySocketListener<GatewaySocketEvents[Name]> | null,
    options?: boolean | { capture?: boolean },
  ): void;
  removeEventListener(
    name: string,
    listener: GatewaySocketListener<Event> | null,
    options?: boolean | { capture?: boolean },
  ): void;

  /** As `EventTarget` has it. */
  dispatchEvent(event: Event): boolean;
}

/** The class, which may stand where `typeof WebSocket` is wanted. */
export interface GatewaySocketConstructor {
  readonly prototype: GatewaySocket;
  readonly CONNECTING: 0;
  readonly OPEN: 1;
  readonly CLOSING: 2;
  readonly CLOSED: 3;
  /**
   * A socket to one URL, to a list, or to what a function gives; it keeps nothing for the next one.
   *
   * @throws SyntaxError (a DOMException) for a URL or a sub-protocol, as `new WebSocket` does
   * @throws RegateError `INVALID_OPTION`; before `init()` it is in the `error` event instead
   */
  new (
    gateways: string | URL | ClientOptions['gateways'],
    protocols?: string | string[] | null,
    options?: GatewaySocketOptions,
  ): GatewaySocket;
  /**
   * A class whose sockets follow each other round the gateways: each goes on where the last one stopped, with the
   * failed gateways, the schedule and what is left of a wait. So a library that opens a new socket whenever
   * it lost one goes to the next gateway at once, and never round a dead cluster without a wait.
   *
   * A socket that is closed before it opened, or with a code of the application's own before it was steady, counts
   * as a failure of its gateway. `close()` and `close(1000)` of an open one are nobody's failure: the next socket
   * dials the same gateway at once. Several sockets at once go round on their own. The URL that a library passes is shown as `url` and not used; the
   * sub-protocols that it passes are, where the list has none.
   *
   * @throws RegateError `INVALID_OPTION`; before `init()` it is in the `error` event of each socket instead
   */
  over(gateways: ClientOptions['gateways'], options?: GatewaySocketOptions): GatewaySocketClass;
}

/** A class made by `GatewaySocket.over`. */
export interface GatewaySocketClass extends Omit<GatewaySocketConstructor, 'over'> {
  /** The next socket round the gateways. */
  new (url?: string | URL, protocols?: string | string[] | null): GatewaySocket;
}

/** The class of sockets that go round the gateways. See the interface of the same name. */
export const GatewaySocket: GatewaySocketConstructor;

/** What the wasm can be made of. */
export type WasmSource = URL | string | Request | Response | ArrayBuffer | ArrayBufferView | WasmModule;

/** A `WebAssembly.Module`, where the platform's types know it. */
type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : never;

/**
 * Loads the wasm, once: later and concurrent calls share the first one's promise.
 *
 * @param source where it is, where the entry's own place for it does not do
 * @returns a promise that rejects with `INIT_FAILED`, whose message says what to do
 */
export function init(source?: WasmSource | Promise<Response>): Promise<void>;

/**
 * `init()`, a client of these options, and its first connection; a client that fails is closed.
 *
 * @example
 * ```ts
 * const connected = await connect({ gateways: ['wss://a.example/ws'], signal: AbortSignal.timeout(30_000) });
 * ```
 *
 * @returns a promise of the client, once it is connected. By default it rejects after about a minute
 * with `CONNECT_TIMEOUT`; also with `NO_GATEWAY`, `NO_WEBSOCKET`, `INIT_FAILED`, `INVALID_OPTION`, or the
 * reason of the signal.
 */
export function connect(options: ClientOptions & ConnectOptions): Promise<ClusterClient>;

/**
 * What is known of a failed operation, by the promise that `invoke` or `retry` returned; also after
 * an abort, whose error is the signal's own reason.
 *
 * @example
 * ```ts
 * const offered = client.invoke('queue.offer', ['x'], { signal: AbortSignal.timeout(1_000) });
 * await offered.catch(() => console.log(completionOf(offered))); // no, or maybe
 * ```
 *
 * @returns undefined while it is pending, and for one that succeeded
 */
export function completionOf(promise: Promise<unknown>): Completion | undefined;

/** One attempt of `retry`. */
export interface RetryAttempt<Url extends string | undefined> {
  /** The URL of the gateway to try, where there is a list. */
  readonly gateway: Url;
  /** Which attempt it is, counted from 1. */
  readonly attempt: number;
  /** Aborted when the caller's is, or when the time is over. */
  readonly signal: AbortSignal;
}

/** How `retry` tries. Settings of a client that mean nothing here may stand beside these, so that one object serves both. */
export interface RetryOptions {
  /** URLs to go round, of any scheme: the next at once, one wait of the schedule a round. A list, not a function. */
  readonly gateways?: readonly Gateway[];
  /** The schedule of waits, its jitter, and whether the list is shuffled. */
  readonly networking?: NetworkingOptions;
  /** The delays, and the limit of time. */
  readonly messaging?: MessagingOptions;
  /** The work changes nothing, so it may be run again. */
  readonly readOnly?: boolean;
  /** The work may be run again although it changes something. */
  readonly redoOperations?: boolean;
  /** Whether a rejection means "not performed, try again"; else it may have been performed. */
  isRetryable?(error: unknown): boolean;
  /** Aborted: the promise rejects with its reason at once. */
  readonly signal?: AbortSignal;
  /** How long all of it may take; then it fails with `TIMEOUT`. */
  readonly timeoutMilliseconds?: number;
  /** The seed of the random choices, as of a client. */
  readonly seed?: number;
}

/**
 * The operation rules for any asynchronous work: it is run again where it may be, in time.
 *
 * @example
 * ```ts
 * const gateways = ['https://a.example/', 'https://b.example/'];
 * const response = await retry(({ gateway, signal }) => fetch(gateway, { signal }), { gateways, readOnly: true });
 * ```
 *
 * @returns what the work gave. It rejects with a `RegateError` whose `cause` is the last rejection.
 */
export function retry<T>(
  work: (attempt: RetryAttempt<string>) => T | Promise<T>,
  options: RetryOptions & { readonly gateways: readonly Gateway[] },
): Promise<T>;
export function retry<T>(
  work: (attempt: RetryAttempt<undefined>) => T | Promise<T>,
  options?: RetryOptions & { readonly gateways?: undefined },
): Promise<T>;
export function retry<T>(
  work: (attempt: RetryAttempt<string | undefined>) => T | Promise<T>,
  options: RetryOptions,
): Promise<T>;

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
