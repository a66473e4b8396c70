// What the cluster holds: a map, a queue, and the journal of every execution, which is the truth of a test.
//
// An execution and its journal entry are one step of one process that no fault touches, and the gateway cannot answer
// before it has heard of it. So an answered execution is always in the journal, whenever a gateway dies.

/**
 * One execution.
 *
 * @typedef {object} Entry
 * @property {number} n its place in the journal, from 1
 * @property {number} at milliseconds since 1970, with fractions
 * @property {string} method
 * @property {'read' | 'write'} kind
 * @property {string | number | null} id the test's own id, from the params
 * @property {string | null} key the operation key
 * @property {number} gateway its position in the list
 * @property {number} incarnation how often that gateway had been started, from 1
 * @property {number} socket the number of the socket in that incarnation, from 1
 */

const WRITES = new Set(['map.put', 'queue.offer', 'busy', 'fail', 'publish']);

/** @typedef {{ method: string, args: any, id: any, key?: string, gateway: number, incarnation: number, socket: number }} Request */
/** @typedef {{ result: unknown } | { error: { code: number, message: string, data?: unknown } }} Answer */

/** The state behind all gateways. */
export class Executions {
  #map = new Map();
  /** @type {unknown[]} */
  #queue = [];
  /** @type {Map<string, Answer>} first answers, by method and operation key */
  #remembered = new Map();
  /** @type {Map<unknown, number>} how often an id was told to come again */
  #busy = new Map();
  #rememberKeys;
  #published;
  /** @type {Entry[]} */
  journal = [];
  /** @type {number[]} executions, by gateway */
  byGateway = [];
  /** Answers given from memory, without an execution. */
  repeats = 0;

  /**
   * @param {boolean} rememberKeys answer a repeated operation key with the first answer
   * @param {(topic: string, value: unknown) => void} published tells all gateways
   */
  constructor(rememberKeys, published) {
    this.#rememberKeys = rememberKeys;
    this.#published = published;
  }

  /**
   * Executes one request and writes it down.
   *
   * @param {Request} request
   * @returns {Answer}
   */
  execute(request) {
    const { method, args, id, key, gateway, incarnation, socket } = request;
    const memory = this.#rememberKeys && key !== undefined ? `${method} ${key}` : undefined;
    const first = memory === undefined ? undefined : this.#remembered.get(memory);
    if (first !== undefined) {
      this.repeats += 1;
      return first;
    }
    if (method === 'busy') {
      const refused = this.#refuse(id, args);
      if (refused !== undefined) return refused;
    }
    const answer = this.#perform(method, args);
    this.journal.push({
      n: this.journal.length + 1,
      at: performance.timeOrigin + performance.now(),
      method,
      kind: WRITES.has(method) ? 'write' : 'read',
      id: id ?? null,
      key: key ?? null,
      gateway,
      incarnation,
      socket,
    });
    this.byGateway[gateway] = (this.byGateway[gateway] ?? 0) + 1;
    if (memory !== undefined) this.#remembered.set(memory, answer);
    return answer;
  }

  /**
   * @param {unknown} id
   * @param {{ times: number, retryAfterMilliseconds?: number }} args
   * @returns {Answer | undefined}
   */
  #refuse(id, { times, retryAfterMilliseconds }) {
    const refused = this.#busy.get(id) ?? 0;
    if (refused >= times) return undefined;
    this.#busy.set(id, refused + 1);
    return { error: { code: -32050, message: 'busy', data: { retryable: true, retryAfterMilliseconds } } };
  }

  /**
   * @param {string} method
   * @param {any} args
   * @returns {Answer}
   */
  #perform(method, args) {
    switch (method) {
      case 'map.get':
        return { result: this.#map.get(args.key) ?? null };
      case 'map.put': {
        const before = this.#map.get(args.key) ?? null;
        this.#map.set(args.key, args.value);
        return { result: before };
      }
      case 'map.size':
        return { result: this.#map.size };
      case 'queue.offer':
        return { result: this.#queue.push(args.item) };
      case 'queue.size':
        return { result: this.#queue.length };
      case 'fail':
        return { error: { code: args.code ?? -32000, message: args.message ?? 'failed', data: args.data } };
      case 'publish':
        this.#published(args.topic, args.value);
        return { result: true };
      default:
        return { result: true }; // slow and busy: that they ran is all they do
    }
  }

  /**
   * How often each id was executed.
   *
   * @returns {Record<string, number>}
   */
  counts() {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { id } of this.journal) {
      if (id !== null) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  }
}
