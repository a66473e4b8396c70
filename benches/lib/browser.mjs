// Pages of Chromium, each around an adapter.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { Chromium } from '../../tests/demo/chromium.mjs';
import { pageFiles, pageName } from './bundle.mjs';

const SHOWN_CHARACTERS = 300;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const watch = readFileSync(new URL('../page/watch.js', import.meta.url), 'utf8');

export class Browser {
  #chromium;
  #origin;
  #files = new Map(); // by path

  /** @param {import('../../tests/demo/lifetime.mjs').Lifetime} life */
  static async launch(life) {
    const browser = new Browser();
    await browser.#serve(life);
    browser.#chromium = await Chromium.launch(life);
    return browser;
  }

  /** Of Chromium. */
  get version() {
    return this.#chromium.version;
  }

  async #serve(life) {
    const server = createServer((request, response) => this.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    life.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    this.#origin = `http://127.0.0.1:${server.address().port}`;
  }

  #answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, this.#origin);
    const [, page] = /^\/page\/(.*)$/.exec(pathname) ?? [];
    const body = page === undefined ? this.#files.get(pathname) : html(page, searchParams.has('watched'));
    const type = page === undefined ? TYPES[extname(pathname)] : 'text/html';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(body);
  }

  /** Has the files of an adapter served; returns the path of its script. */
  async provide(name, isAlone = false) {
    const script = `/${pageName(name, isAlone)}.js`;
    if (!this.#files.has(script))
      for (const [path, bytes] of await pageFiles(name, isAlone)) this.#files.set(path, bytes);
    return script;
  }

  /** A page around an adapter; where `isWatched`, its dials and timers are counted. */
  async open(name, { isWatched = false } = {}) {
    await this.provide(name);
    const page = await this.blank({ isWatched, name });
    page.meta = await page.evaluate(async () => {
      while (globalThis.bench === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      await globalThis.bench.ready;
      return globalThis.bench.meta;
    });
    return page;
  }

  /** A page with nothing in it, or with a script. */
  async blank({ isWatched = false, name = '' } = {}) {
    const page = new Page(name);
    const url = `${this.#origin}/page/${name}${isWatched ? '?watched' : ''}`;
    await page.fill(await this.#chromium.open(url, ...page.ears));
    return page;
  }
}

const html = (name, isWatched) => `<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="data:,">
${isWatched ? `<script>${watch}</script>` : ''}
${name ? `<script type="module" src="/${name}.js"></script>` : ''}`;

class Page {
  /** Of the adapter, and what it exports. */
  meta;
  /** Lines of the console: the page's own, and the browser's about it. */
  lines = { own: [], browser: [] };
  /** Called when the page tells something. */
  told = () => {};
  #page;

  constructor(name) {
    this.name = name;
  }

  get ears() {
    return [(message) => this.told(message), (method, params) => this.#hear(method, params)];
  }

  async fill(page) {
    this.#page = page;
    await page.call('Log.enable');
    await page.call('Performance.enable', { timeDomain: 'threadTicks' }); // CPU of the main thread, no wall time
  }

  #hear(method, params) {
    if (method === 'Runtime.consoleAPICalled') this.#note('own', params.args.map(textOf).join(' '));
    else if (method === 'Log.entryAdded') this.#note('browser', params.entry.text);
  }

  #note(kind, text) {
    this.lines[kind].push(text.slice(0, SHOWN_CHARACTERS));
  }

  /** What was thrown and not caught. */
  get thrown() {
    return this.#page.troubles;
  }

  /** Runs a function in the page; it sees nothing but its arguments. */
  evaluate(run, ...given) {
    return this.#page.evaluate(run, ...given);
  }

  /** Calls a function of page/driver.js. */
  call(name, ...given) {
    return this.evaluate((called, args) => globalThis.bench[called](...args), name, given);
  }

  script(expression) {
    return this.#page.call('Runtime.evaluate', { expression });
  }

  /** CPU of the main thread so far, in seconds. */
  async cpuSeconds() {
    const { metrics } = await this.#page.call('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value;
  }

  /** Bytes in use after a collection: JavaScript's heap, what it holds outside, and what the adapter says of its own. */
  async bytes() {
    await this.#page.call('HeapProfiler.collectGarbage');
    await this.#page.call('HeapProfiler.collectGarbage');
    const heap = await this.#page.call('Runtime.getHeapUsage');
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = heap;
    return usedSize + embedderHeapUsedSize + backingStorageSize + (await this.call('memory'));
  }

  close() {
    return this.#page.close();
  }
}

const textOf = ({ value, description, type }) => String(value ?? description ?? type);
