// A Node process with clients under test.

import { WebSocket } from 'ws';
import { answerCalls, childConfig } from '../gateways/child.mjs';
import { Subject } from './page/subject.js';

/** @type {string[]} what went wrong and nobody caught */
const troubles = [];
process.on('unhandledRejection', (error) => troubles.push(`unhandled rejection: ${textOf(error)}`));
process.on('uncaughtException', (error) => troubles.push(`uncaught: ${textOf(error)}`));
const textOf = (error) => String(error?.stack ?? error);

const regate = await import(childConfig().entry);
await regate.init();
/** @type {Subject[]} */
const subjects = [];
let slept = 0;

answerCalls({
  make: (config) => subjects.push(new Subject(regate, WebSocket, config)) - 1,
  call: (index, method, ...args) => subjects[index][method](...args),
  counts: () => subjects.map((subject) => subject.counts()),
  troubles: () => troubles,
  /** The process does nothing at all for so long, as in a sleep. */
  sleep(milliseconds) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
    slept += 1;
    return slept;
  },
});
