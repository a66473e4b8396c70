// The demo's faults, one after the other. Each says by the cluster's counters what it struck.

import { setTimeout as after } from 'node:timers/promises';

/** How late gateways answer, so that there is something in flight when they die. */
const ROUND_TRIP_MILLISECONDS = 25;
const SETTLE_MILLISECONDS = 500;
/** Longer than the demo's client needs to call a connection steady. */
const STEADY_MILLISECONDS = 2500;
const OUTAGE_MILLISECONDS = 5000;

/** About how long all of it takes. */
export const EXPECTED_MILLISECONDS = 31_000;

const wallClock = () => performance.timeOrigin + performance.now();

/** The stage on which the faults are played. */
export class Stage {
  #cluster;
  #say;
  /** @type {(import('./verdict.mjs').Fault & { phase: string, at: number, isLoss: boolean })[]} */
  faults = [];
  /** @type {{ name: string, from: number, to: number }[]} */
  phases = [];

  /**
   * @param {import('../gateways/cluster.mjs').Cluster} cluster
   * @param {(text: string) => void} say
   */
  constructor(cluster, say) {
    this.#cluster = cluster;
    this.#say = say;
  }

  get gateways() {
    return this.#cluster.gateways;
  }

  /** Readies the gateways. */
  async open() {
    await Promise.all(this.gateways.map((gateway) => this.#slow(gateway)));
  }

  async play() {
    for (const [name, act] of PHASES) {
      const phase = { name, from: wallClock(), to: Number.POSITIVE_INFINITY };
      this.phases.push(phase);
      await act(this);
      phase.to = wallClock();
    }
  }

  /** The gateway that the client is connected to; waits until there is one. */
  async connected() {
    const isHeld = ({ up, open }) => up && open > 0;
    const { gateways } = await this.#cluster.until((stats) => stats.gateways.some(isHeld), {
      withinMilliseconds: 20_000,
    });
    return this.gateways[gateways.findIndex(isHeld)];
  }

  /** The gateway that the client dials after this one. */
  next(gateway) {
    return this.gateways[(gateway.index + 1) % this.gateways.length];
  }

  rest(milliseconds) {
    return after(milliseconds);
  }

  /** Kills the gateway that the client is connected to. */
  async killConnected() {
    const gateway = await this.connected();
    await this.#strike(`kill ${gateway.name}`, () => gateway.kill(), { isLoss: true });
    return gateway;
  }

  async restartConnected() {
    const gateway = await this.connected();
    await this.#strike(
      `restart ${gateway.name}`,
      async () => {
        const before = await this.#struck(gateway, 'kill', 'connections');
        await gateway.restart();
        return { connections: (await this.#struck(gateway, 'kill', 'connections')) - before };
      },
      { isLoss: true },
    );
    await this.#slow(gateway);
  }

  /** Kills all; while they are down the cluster must not execute anything. */
  async killAll() {
    const held = await this.connected();
    const others = this.gateways.filter((gateway) => gateway !== held);
    await this.#strike(
      'kill all',
      async () => {
        await Promise.all(others.map((gateway) => gateway.kill()));
        return held.kill();
      },
      { isLoss: true },
    );
    const { executions } = await this.#cluster.stats();
    await this.rest(OUTAGE_MILLISECONDS);
    const later = await this.#cluster.stats();
    const stood = later.executions === executions ? 1 : 0;
    this.#note(`${OUTAGE_MILLISECONDS / 1000} s without any gateway`, stood);
  }

  /** Lets the gateway that would be dialled next hang; says afterwards whether a dial was caught in it. */
  async hang(gateway) {
    this.#say(`hang ${gateway.name} in the handshake`);
    await gateway.hang();
    return async () => {
      this.#note(`hang ${gateway.name}`, await this.#struck(gateway, 'hang', 'dials'));
      await gateway.heal();
      await this.#slow(gateway);
    };
  }

  async start(...gateways) {
    this.#say(`start ${gateways.map(({ name }) => name).join(', ')}`);
    for (const gateway of gateways) {
      await gateway.restart();
      await this.#slow(gateway);
    }
  }

  async #strike(what, act, { isLoss }) {
    this.#say(what);
    const at = wallClock();
    const { connections } = await act();
    this.#note(what, connections, at, isLoss);
  }

  #note(what, effect, at = wallClock(), isLoss = false) {
    this.faults.push({ what, effect, at, isLoss, phase: this.phases.at(-1).name });
  }

  async #struck(gateway, fault, unit) {
    const { gateways } = await this.#cluster.stats();
    return gateways[gateway.index].struck[fault]?.[unit] ?? 0;
  }

  #slow(gateway) {
    return gateway.answerLate(ROUND_TRIP_MILLISECONDS);
  }
}

/** @type {[string, (stage: Stage) => Promise<void>][]} */
const PHASES = [
  ['no fault', (stage) => stage.rest(STEADY_MILLISECONDS)],
  [
    'kill one',
    async (stage) => {
      const killed = await stage.killConnected();
      await stage.rest(STEADY_MILLISECONDS);
      await stage.start(killed);
      await stage.rest(SETTLE_MILLISECONDS);
    },
  ],
  [
    'kill two',
    async (stage) => {
      const first = await stage.killConnected();
      await stage.rest(SETTLE_MILLISECONDS);
      const second = await stage.killConnected();
      await stage.rest(STEADY_MILLISECONDS);
      await stage.start(first, second);
      await stage.rest(SETTLE_MILLISECONDS);
    },
  ],
  [
    'all down for 5 s',
    async (stage) => {
      await stage.killAll();
      await stage.start(...stage.gateways);
      await stage.connected();
      await stage.rest(STEADY_MILLISECONDS);
    },
  ],
  [
    'one hangs, one dies',
    async (stage) => {
      const unhang = await stage.hang(stage.next(await stage.connected()));
      const killed = await stage.killConnected();
      await stage.connected();
      await stage.rest(STEADY_MILLISECONDS);
      await unhang();
      await stage.start(killed);
    },
  ],
  [
    'restart each',
    async (stage) => {
      for (let turn = 0; turn < stage.gateways.length; turn += 1) {
        await stage.restartConnected();
        await stage.connected();
        await stage.rest(turn < stage.gateways.length - 1 ? SETTLE_MILLISECONDS : STEADY_MILLISECONDS);
      }
    },
  ],
];
