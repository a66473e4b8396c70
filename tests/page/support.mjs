// The explorer as a file host serves it, in Debian's Chromium: fresh pages, and what went wrong in them.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Lifetime } from '../demo/lifetime.mjs';
import { startSite } from '../demo/site.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = `${ROOT}www/dist`;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
/** Nothing is asked of another host. */
const LOCAL = /^(http:\/\/127\.0\.0\.1:|about:|blob:|data:)/;
const AXE = readFileSync(`${ROOT}node_modules/axe-core/axe.min.js`, 'utf8');

export const life = new Lifetime();
export let browser;
export let url;

export async function start() {
  const { status, stdout, stderr } = spawnSync('node', ['www/build.mjs', '--quiet'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`www/build.mjs: ${stdout}${stderr}`);
  url = await startSite(life, { folders: { '/': DIST } });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  life.defer(() => browser.close());
}

/** A fresh page, closed after the test, which fails if anything went wrong in it or it asked another host. */
export async function open(t, path = '', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('request', (request) => {
    if (!LOCAL.test(request.url())) troubles.push(request.url());
  });
  t.after(async () => {
    await context.close();
    if (troubles.length > 0) throw new Error(`in the page: ${troubles.join('; ')}`);
  });
  await page.goto(/^(http|about):/.test(path) ? path : url + path);
  return page;
}

/** Waits until what is shown is of what stands in the fields. */
export async function played(page) {
  await page.waitForSelector('.figures[aria-busy="false"]');
}

/** The figures by their names. */
export async function figures(page) {
  await played(page);
  return page.$$eval('.figures > div', (list) =>
    Object.fromEntries(
      list.map((each) => [each.querySelector('dt').textContent, each.querySelector('dd').textContent]),
    ),
  );
}

/** What axe-core finds. */
export async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(
    async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join('\n  ')}`,
  );
}
