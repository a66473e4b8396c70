// The page: its clients, and what the browser did to it.

import { ClusterClient, completionOf, init, RegateError } from '../../../regate/index.web.js';
import { Subject } from './subject.js';

const TELL_MILLISECONDS = 500;
const happened = { frozen: 0, resumed: 0, offline: 0, online: 0 };
const note = (target, type, name) => target.addEventListener(type, () => (happened[name] += 1));
note(document, 'freeze', 'frozen');
note(document, 'resume', 'resumed');
note(globalThis, 'offline', 'offline');
note(globalThis, 'online', 'online');

await init();
const regate = { ClusterClient, completionOf, RegateError };
/** @type {Subject[]} */
const subjects = [];

globalThis.chaos = {
  make: (config) => subjects.push(new Subject(regate, WebSocket, config)) - 1,
  call: (index, method, ...args) => subjects[index][method](...args),
  happened: () => happened,
};
setInterval(() => globalThis.tell(subjects.map((subject) => subject.counts())), TELL_MILLISECONDS);
