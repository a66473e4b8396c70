// Chromium, driven by a few lines of the DevTools protocol.
//
// Not by Playwright: it switches on the network domain, which copies every WebSocket frame to this process and so slows
// down what is to be watched. The protocol runs over a pipe, so that Chromium ends when this process does, however.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ...['--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-breakpad'],
  ...['--disable-dev-shm-usage', '--disable-extensions', '--mute-audio', '--remote-debugging-pipe'],
];
const QUIT_WITHIN_MILLISECONDS = 2000;
const COMMAND = process.env.CHROMIUM ?? 'chromium';

/** A running browser. */
export class Chromium {
  #process;
  #last = 0;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void, method: string }>} */
  #calls = new Map();
  /** @type {Map<string, (method: string, params: any) => void>} */
  #sessions = new Map();
  #end = '';

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.#process = child;
    let text = '';
    child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop();
      for (const message of messages) this.#heard(JSON.parse(message));
    });
    child.stdio[3].on('error', () => {}); // it has ended, which `exit` tells
    child.stderr.on('data', (chunk) => {
      this.#end = (this.#end + chunk).slice(-1000);
    });
    child.on('error', (error) => this.#ended(error.message));
    child.on('exit', (code, signal) => this.#ended(`exit ${code ?? signal}\n${this.#end}`));
  }

  /**
   * Starts the browser; it ends with the lifetime.
   *
   * @param {import('./lifetime.mjs').Lifetime} life
   */
  static async launch(life) {
    const folder = life.temporaryFolder('regate-chromium');
    const child = spawn(COMMAND, [...FLAGS, `--user-data-dir=${folder}/profile`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: folder, HOME: folder }, // whatever it leaves behind is ours to remove
      detached: true, // a process group, to be ended as one
    });
    const browser = new Chromium(child);
    life.defer(() => browser.#quit());
    const { product } = await browser.call('Browser.getVersion');
    browser.version = product.replace(/^(Headless)?Chrome\//, '');
    return browser;
  }

  /**
   * Opens a page in a browser context of its own, hence in a renderer process of its own: Chromium throttles the dials
   * of a process.
   *
   * @param {string} url
   * @param {(message: any) => void} [told] called with what the page gives to `tell(value)`
   * @param {(method: string, params: any) => void} [heard] called with every other event of the page's session
   */
  async open(url, told = () => {}, heard = () => {}) {
    const { browserContextId } = await this.call('Target.createBrowserContext');
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    const call = (method, params) => this.call(method, params, sessionId);
    /** @type {string[]} what went wrong in the page and nobody caught */
    const troubles = [];
    const loaded = new Promise((resolve, reject) => {
      this.#sessions.set(sessionId, (method, params) => {
        if (method === 'Page.loadEventFired') resolve(undefined);
        else if (method === 'Runtime.bindingCalled') told(JSON.parse(params.payload));
        else if (method === 'Runtime.exceptionThrown') troubles.push(textOf(params.exceptionDetails));
        else if (method === 'Inspector.targetCrashed') {
          troubles.push('the page crashed');
          reject(new Error('the page crashed'));
        } else heard(method, params);
      });
    });
    await Promise.all([call('Page.enable'), call('Runtime.enable'), call('Inspector.enable')]);
    await call('Runtime.addBinding', { name: '__tell' });
    await call('Page.addScriptToEvaluateOnNewDocument', {
      source: 'globalThis.tell = (value) => __tell(JSON.stringify(value));',
    });
    await call('Page.navigate', { url });
    await loaded;
    const close = async () => {
      await this.call('Target.disposeBrowserContext', { browserContextId });
      this.#sessions.delete(sessionId);
    };
    return new Page(call, troubles, close, () => this.#attach(targetId));
  }

  /** A second session with a page. */
  async #attach(targetId) {
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    return {
      call: (method, params) => this.call(method, params, sessionId),
      detach: () => this.call('Target.detachFromTarget', { sessionId }),
    };
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  call(method, params = {}, sessionId) {
    return new Promise((resolve, reject) => {
      this.#last += 1;
      this.#calls.set(this.#last, { resolve, reject, method });
      if (this.#process.stdio[3].writable) {
        this.#process.stdio[3].write(`${JSON.stringify({ id: this.#last, method, params, sessionId })}\0`);
      } else this.#ended('it has ended');
    });
  }

  /** Asks it to end, so that it waits for its own children; ends its whole group when it does not. */
  async #quit() {
    const { pid } = this.#process;
    const isGone = () => this.#process.exitCode !== null || this.#process.signalCode !== null;
    if (pid === undefined || isGone()) return;
    const gone = once(this.#process, 'exit');
    this.call('Browser.close').catch(() => {});
    await Promise.race([gone, after(QUIT_WITHIN_MILLISECONDS)]);
    if (isGone()) return;
    process.kill(-pid, 'SIGKILL');
    await gone;
  }

  #heard({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      this.#sessions.get(sessionId)?.(method, params);
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call.resolve(result);
    else call.reject(new Error(`${call.method}: ${error.message}`));
  }

  /** @param {string} how */
  #ended(how) {
    for (const call of this.#calls.values()) call.reject(new Error(`${COMMAND}: ${how}`));
    this.#calls.clear();
  }
}

/** A loaded page. */
class Page {
  #attach;

  constructor(call, troubles, close, attach) {
    /** Calls a method of the protocol. */
    this.call = call;
    this.#attach = attach;
    this.troubles = troubles;
    this.close = close;
  }

  /**
   * Has the page frozen for so long, as a browser does with one in the background.
   *
   * @param {number} milliseconds
   */
  async freeze(milliseconds) {
    await this.call('Page.setWebLifecycleState', { state: 'frozen' });
    await after(milliseconds);
    await this.call('Page.setWebLifecycleState', { state: 'active' });
  }

  /**
   * Takes the network from the page for so long. Only then is DevTools' network domain on.
   *
   * @param {number} milliseconds
   */
  async goOffline(milliseconds) {
    const { call, detach } = await this.#attach();
    await call('Network.enable');
    const set = (offline) =>
      call('Network.emulateNetworkConditions', {
        offline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
    await set(true);
    await after(milliseconds);
    await set(false);
    await detach();
  }

  /**
   * Runs a function in the page and waits for what it returns.
   *
   * @param {(...args: any[]) => any} run
   * @param {...unknown} args
   */
  async evaluate(run, ...args) {
    const expression = `(${run})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`in the page: ${textOf(exceptionDetails)}`);
    return result.value;
  }
}

function textOf({ exception, text }) {
  return exception?.description ?? String(exception?.value ?? text);
}
