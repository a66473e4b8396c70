// The page: one client, its figures, and the gateways to break. With `?unattended` it draws nothing by itself going on:
// `regateDemo` is then driven from outside.

import { drawLatency, drawRate } from './charts.js';
import { wireConsole } from './console.js';
import { Gateways } from './gateways.js';
import { Live } from './live.js';
import { showCounts, showLines, showState } from './panels.js';
import { chooseTheme, storedTheme, themeButton } from './theme.js';

const FRAME_MILLISECONDS = 100;
const CALM_FRAME_MILLISECONDS = 1000;
const element = (id) => document.getElementById(id);
const json = async (path) => (await fetch(path)).json();

const unattended = new URLSearchParams(location.search).has('unattended');
const [list, { version }] = await Promise.all([json('../control/gateways'), json('../regate/package.json')]);
element('version').textContent = version;

/** @type {Live} */
let live;
let gateways;

async function open(options) {
  live = await Live.open({ urls: list.map(({ url }) => url), ...options });
  gateways = new Gateways(element('lanes'), list, live);
  element('load').value = live.workload.perSecond;
  wireConsole(element('operation'), element('results'), live.client);
  requestAnimationFrame(draw);
  return live;
}

let drawnAt = 0;
function draw(now) {
  requestAnimationFrame(draw);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (now - drawnAt < (calm ? CALM_FRAME_MILLISECONDS : FRAME_MILLISECONDS)) return;
  drawnAt = now;
  gateways.draw(now);
  drawRate(element('rate'), element('rate-now'), live.workload.seconds, now);
  drawLatency(element('latency'), element('latency-now'), live.workload.seconds, now);
  showCounts(element('outcomes'), live.workload);
  showState(element('state'), element('state-name'), element('state-detail'), live, now);
  showLines(element('log'), live.log);
  showLines(element('events'), live.events);
  element('load-now').textContent = `${live.workload.perSecond} / s`;
}

function showTheme() {
  const { text, label } = themeButton(storedTheme());
  element('theme').textContent = text;
  element('theme').setAttribute('aria-label', label);
}
showTheme();
element('theme').addEventListener('click', () => {
  chooseTheme(themeButton(storedTheme()).next);
  showTheme();
});

element('load').addEventListener('input', ({ target }) => {
  live.workload.perSecond = Number(target.value);
});
element('pause').addEventListener('click', ({ target }) => {
  const paused = target.getAttribute('aria-pressed') !== 'true';
  target.setAttribute('aria-pressed', paused);
  if (paused) live.workload.stop();
  else live.workload.start();
});
for (const button of document.querySelectorAll('[data-all]')) {
  button.addEventListener('click', () => gateways.command('all', button.dataset.all));
}
for (const button of document.querySelectorAll('[data-client]')) {
  // A rejected connect() is told by the state and by the log.
  button.addEventListener('click', () => live.client[button.dataset.client]()?.catch?.(() => {}));
}

if (!unattended) {
  await open({ networking: { connectionTimeoutMilliseconds: 3000 } });
  setInterval(() => document.visibilityState === 'visible' && gateways.refresh(), 1000);
  live.workload.start();
  live.client.connect().catch(() => {});
}
globalThis.regateDemo = { open, live: () => live };
