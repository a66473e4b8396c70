// Firefox, with as much of it as the trials need; it looks to them like the Chromium of the demo.

import puppeteer from 'puppeteer-core';

const COMMAND = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

export class Firefox {
  #browser;

  constructor(browser, version) {
    this.#browser = browser;
    this.version = version;
  }

  /**
   * Starts the browser; it ends with the lifetime.
   *
   * @param {import('../demo/lifetime.mjs').Lifetime} life
   */
  static async launch(life) {
    const folder = life.temporaryFolder('regate-firefox');
    const browser = await puppeteer.launch({
      browser: 'firefox',
      env: { ...process.env, HOME: folder, TMPDIR: folder }, // whatever it leaves behind is ours to remove
      executablePath: COMMAND,
      headless: true,
    });
    life.defer(() => browser.close());
    const version = (await browser.version()).replace(/^firefox\//i, '');
    return new Firefox(browser, version);
  }

  /** Opens a page in a context of its own. */
  async open(url) {
    const context = await this.#browser.createBrowserContext();
    const page = await context.newPage();
    const troubles = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.goto(url);
    return { close: () => context.close(), evaluate: (...call) => page.evaluate(...call), troubles };
  }
}
