// `make demo`: the packed client in a real Chromium keeps its operations answered while its gateways are killed, hung and
// restarted. Exits with 0 only if every promise held; verdict.mjs says which.

import { startCluster } from '../gateways/cluster.mjs';
import { startControl } from '../gateways/control.mjs';
import { Chromium } from './chromium.mjs';
import { run } from './lifetime.mjs';
import { report } from './report.mjs';
import { EXPECTED_MILLISECONDS, Stage } from './scenario.mjs';
import { siteFolders, startSite, unpackPackage } from './site.mjs';
import { Terminal } from './terminal.mjs';
import { problemsOf } from './verdict.mjs';

const LIMIT_MILLISECONDS = 90_000;
const PER_SECOND = 60;
const SETTLE_WITHIN_MILLISECONDS = 15_000;
/** The page's client. Everything else is at its default. */
const NETWORKING = {
  connectionTimeoutMilliseconds: 1000, // a hanging gateway is given up soon enough to be watched
  shuffleAddresses: false, // the scenario knows which gateway comes next
  steadyMilliseconds: 1500, // each fault is an outage of its own
};

const terminal = new Terminal();
const started = performance.now();
const wallClock = () => performance.timeOrigin + performance.now();
const say = (mark, text) =>
  terminal.line(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${mark} ${text}`);

/** Follows what the page tells: keeps it for the table, and shows what a person wants to see. */
class Follower {
  events = [];
  log = [];
  #lostAt = 0;

  told(event) {
    if (event.type === 'log') {
      this.log.push(event);
      say(' ', `  log: ${event.text}`);
      return;
    }
    this.events.push(event);
    if (event.type !== 'statechange') return;
    const { to, from, gateway, reason, closeCode } = event;
    if (to === 'reconnecting') this.#lostAt = event.at;
    const after = from === 'reconnecting' ? `, ${Math.round(event.at - this.#lostAt)} ms after the loss` : '';
    const why = to === 'connected' ? '' : `: ${[reason, closeCode].filter(Boolean).join(' ')}`;
    say(' ', `${to.padEnd(12)} ${gateway ?? ''}${why}${after}`);
  }
}

async function main(life) {
  const { folder, version, tarballBytes } = unpackPackage(life);
  const cluster = await startCluster({ count: 3 });
  life.defer(() => cluster.stop().catch(() => {})); // Ctrl-C reaches the gateways too: they may have ended
  const control = await startControl(cluster);
  life.defer(() => control.stop());
  const site = await startSite(life, { folders: siteFolders(folder), control: control.url });
  const browser = await Chromium.launch(life);
  const kibibytes = (tarballBytes / 1024).toFixed(1);
  terminal.line(
    `regate ${version}, packed (${kibibytes} KiB), in Chromium ${browser.version}; three gateways, ${PER_SECOND} operations a second`,
  );

  const stage = new Stage(cluster, (text) => say('>', text));
  await stage.open();
  const follower = new Follower();
  const page = await browser.open(`${site}live/?unattended`, (event) => follower.told(event));
  await page.evaluate(openClient, { networking: NETWORKING, keep: 'all', perSecond: PER_SECOND });
  const progress = showProgress(page);
  await stage.play();
  clearInterval(progress);
  const outcomes = await page.evaluate(closeClient, SETTLE_WITHIN_MILLISECONDS);
  terminal.endProgress();
  await cluster.quiet();
  const audit = await cluster.audit(outcomes);

  const { events, log } = follower;
  const { faults, phases } = stage;
  terminal.line(`\n${report({ outcomes, audit, faults, phases, events, log })}`);
  const problems = problemsOf({ outcomes, audit, faults, troubles: page.troubles });
  if (problems.length === 0) {
    terminal.line(
      `passed: ${outcomes.length} operations, ${faults.length} faults; every read answered, every failure told the truth`,
    );
    return 0;
  }
  for (const problem of problems) terminal.line(`FAILED: ${problem}`);
  return 1;
}

/** In the page: connects, then reads and writes at a steady rate. */
async function openClient(options) {
  while (globalThis.regateDemo === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  const live = await globalThis.regateDemo.open(options);
  live.onEvent = (event) => globalThis.tell({ ...event, at: performance.timeOrigin + event.at });
  await live.client.connect();
  live.workload.start();
}

/** In the page: ends the load, waits for what is open, closes; what became of each operation. */
async function closeClient(withinMilliseconds) {
  const live = globalThis.regateDemo.live();
  live.workload.stop();
  await live.workload.settled(withinMilliseconds);
  const outcomes = live.workload.report();
  live.client.close();
  return outcomes.map((said) => ({ ...said, settledAt: performance.timeOrigin + said.settledAt }));
}

function showProgress(page) {
  const began = wallClock();
  return setInterval(async () => {
    const counts = await page.evaluate(countsNow).catch(() => undefined);
    if (counts === undefined) return; // the page is being closed
    const { answered, failed, open } = counts;
    terminal.progress(
      Math.min(0.99, (wallClock() - began) / EXPECTED_MILLISECONDS),
      `${answered} answered, ${failed} failed, ${open} open`,
    );
  }, 250);
}

/** In the page. */
function countsNow() {
  const { counts, open } = globalThis.regateDemo.live().workload;
  const sum = (...names) =>
    Object.values(counts).reduce(
      (total, kind) => total + names.reduce((part, name) => part + kind[name], 0),
      0,
    );
  return { answered: sum('answered'), failed: sum('no', 'maybe', 'yes'), open: open.size };
}

await run(main, { limitMilliseconds: LIMIT_MILLISECONDS });
