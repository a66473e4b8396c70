// One step of the backoff of each library, reached through its own object, by private methods where there is no other way.
import { backoff as natsBackoff } from '@nats-io/nats-core';
import { ExponentialBackoff } from 'cockatiel';
import PartySocket from 'partysocket/ws';
import ReconnectingWebSocket from 'reconnecting-websocket';
import { Backoff } from '../node_modules/socket.io-client/build/esm/contrib/backo2.js';

const STEPS = 16;
const EPISODES = 12_500;
const ROUNDS = 9;

const party = new PartySocket('ws://127.0.0.1:1', [], { startClosed: true });
const reconnecting = new ReconnectingWebSocket('ws://127.0.0.1:1', [], { startClosed: true });
const socketIo = new Backoff({ min: 1000, max: 5000, jitter: 0.5 });
const nats = natsBackoff([250, 500, 1000, 2000, 4000, 5000]);
const context = { attempt: 0, signal: null, result: {}, state: undefined };
let wait;
let cockatiel;

/** By name, the wait of a step; step 0 begins an episode. */
const steps = {
  'by hand (two numbers)'(step) {
    if (step === 0) wait = 250;
    const taken = wait;
    wait = Math.min(taken * 2, 5000);
    return taken;
  },
  'partysocket _getNextDelay'(step) {
    party._retryCount = step + 1;
    return party._getNextDelay();
  },
  'reconnecting-websocket _getNextDelay'(step) {
    reconnecting._retryCount = step + 1;
    return reconnecting._getNextDelay();
  },
  'cockatiel ExponentialBackoff (decorrelated jitter)'(step) {
    cockatiel = step === 0 ? new ExponentialBackoff().next(context) : cockatiel.next(context);
    return cockatiel.duration;
  },
  'socket.io-client Backoff (jitter 0.5)'(step) {
    if (step === 0) socketIo.reset();
    return socketIo.duration();
  },
  'nats-core backoff([...]) (jitter)': (step) => nats.backoff(step),
};

function nanosecondsOf(take) {
  let sum = 0;
  const began = performance.now();
  for (let episode = 0; episode < EPISODES; episode += 1)
    for (let step = 0; step < STEPS; step += 1) sum += take(step);
  const nanoseconds = ((performance.now() - began) * 1e6) / (EPISODES * STEPS);
  globalThis.sink = sum; // so that the work is not thrown away
  return nanoseconds;
}

globalThis.measurePolicies = () => {
  const measured = Object.fromEntries(Object.keys(steps).map((name) => [name, []]));
  for (const take of Object.values(steps)) nanosecondsOf(take); // warm-up
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, take] of Object.entries(steps)) measured[name].push(nanosecondsOf(take));
  return measured;
};
