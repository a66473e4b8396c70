// Runs in a page, served as /world.js: counts listeners, stops the clock, and makes sockets that do what `world` says.

/** Every listener of the page and the document that came or went, since before the package was there. */
export const listened = [];
export const balance = () => listened.reduce((sum, [what]) => sum + (what === 'add' ? 1 : -1), 0);
for (const [name, what] of [
  ['addEventListener', 'add'],
  ['removeEventListener', 'remove'],
]) {
  const original = EventTarget.prototype[name];
  EventTarget.prototype[name] = function counted(type, ...rest) {
    const target = this ?? globalThis;
    if (target === globalThis || target === document) listened.push([what, type]);
    return original.call(target, type, ...rest);
  };
}

export const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

const timers = new Map();
let now = 1000;
let last = 0;
export const running = () => timers.size;

/** From now on the time stands still until a test moves it. */
export function stopClock() {
  globalThis.setTimeout = (callback, delay = 0) => {
    last += 1;
    timers.set(last, { at: now + delay, callback });
    return last;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer);
  performance.now = () => now;
}

/** Moves the time. A page that is throttled, or asleep, fires nothing before the end of `late`. */
export async function advance(milliseconds, { late = false } = {}) {
  const end = now + milliseconds;
  await turn();
  for (;;) {
    const [due] = [...timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at);
    if (due === undefined) break;
    now = late ? end : Math.max(now, due[1].at);
    timers.delete(due[0]);
    due[1].callback();
    await turn();
  }
  now = end;
}

export const world = { up: true, mute: false, sockets: [] };
export const dials = () => world.sockets.map(({ at }) => at);

export class Socket {
  readyState = 0;
  sent = [];
  closes = [];

  constructor(url) {
    this.at = now - 1000;
    this.url = url;
    world.sockets.push(this);
    queueMicrotask(() => {
      if (this.readyState !== 0) return;
      if (world.up) this.open();
      else this.drop(1006);
    });
  }

  open() {
    this.readyState = 1;
    this.onopen?.({ type: 'open', target: this });
  }

  drop(code) {
    this.readyState = 3;
    this.onclose?.({ type: 'close', code, reason: '', target: this });
  }

  send(frame) {
    this.sent.push(frame);
    const { id, params } = JSON.parse(frame);
    if (id === undefined || world.mute) return;
    const data = JSON.stringify({ id, result: params ?? null });
    queueMicrotask(() => this.onmessage?.({ type: 'message', data }));
  }

  close(...args) {
    this.closes.push(args);
    this.readyState = 2;
  }
}

export const page = (type, persisted) => dispatchEvent(new PageTransitionEvent(type, { persisted }));
export const signals = {
  online: () => dispatchEvent(new Event('online')),
  visible: () => document.dispatchEvent(new Event('visibilitychange')),
  pageshow: () => page('pageshow', false),
  resume: () => document.dispatchEvent(new Event('resume')),
};

const { ClusterClient, init } = await import('/index.web.js');
await init();

/** A client, and what it told. */
export function make(more = {}) {
  const networking = { jitter: 0, shuffleAddresses: false, ...more.networking };
  const gateways = ['ws://a.example', 'ws://b.example'];
  const client = new ClusterClient({ gateways, WebSocket: Socket, logger: null, ...more, networking });
  const told = [];
  client.addEventListener('statechange', ({ detail }) => told.push(`${detail.to}: ${detail.reason}`));
  client.addEventListener('waiting', ({ detail }) => told.push(`waiting ${detail.milliseconds}`));
  return { client, told };
}
