// What the engine says by names, in words.
import { hostOf, time } from './format.js';
import { limits, retryTable } from './model.js';

const rows = new Map([
  ...retryTable.map(({ row, endedBy, retriedWhen }) => [row, { text: endedBy, retriedWhen }]),
  ...limits.map(({ row, text }) => [row, { text }]),
]);

/** How an attempt ended, or an operation. */
export const rowText = (row) => (rows.get(row)?.text ?? row).replaceAll('`', '');

/** Whether it is a row of the retry table, or one of the limits beside it. */
export const isRow = (row) => rows.get(row)?.retriedWhen !== undefined;

/** `a`, `b` and `c`. */
const list = (words) => new Intl.ListFormat('en').format(words);

/** Why it was decided so: the row of the retry table, and the settings that made the difference. */
export function reasonOf({ row, because = [], decision, code }) {
  const found = rows.get(row);
  if (found?.retriedWhen === undefined) return sentence(found?.text ?? row);
  const isAlways = found.retriedWhen === 'always' || found.retriedWhen === 'never';
  const rule = `the rule for it: retried ${isAlways ? '' : 'when '}${found.retriedWhen}`;
  if (because.length === 0) return sentence(rule);
  const failed = decision === 'failed' || (decision === undefined && code !== 'OK');
  const settings = `${because.length > 1 ? 'any of ' : ''}${list(because)}`;
  return `${sentence(rule)} ${failed ? `With ${settings} it would have been retried` : `Without ${settings} it would not`}.`;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`.replaceAll('`', '');

/** An event of the client in words. */
export function noticeText(notice, gateways) {
  const who = notice.gateway === undefined ? '' : shortLabel(notice.gateway, gateways);
  switch (notice.kind) {
    case 'statechange':
      return `${notice.from} → ${notice.to}: ${[notice.reason, notice.closeCode].filter(Boolean).join(' ')}${who && `, ${who}`}`;
    case 'dial':
      return `dial ${who}, round ${notice.round}`;
    case 'dialfailed':
      return `dial of ${who} failed: ${[notice.cause, notice.closeCode].filter(Boolean).join(' ')}, verdict ${notice.verdict}`;
    case 'waiting':
      return `wait ${time(notice.milliseconds)} after round ${notice.round}`;
    default:
      return [notice.kind, who].filter(Boolean).join(' ');
  }
}

/** `wss://a.example [0]` as `a.example`, or by the position. */
export function shortLabel(label, gateways) {
  const [, position] = /\[(\d+)\]$/.exec(label) ?? [];
  return position === undefined ? label : nameOf(Number(position), gateways);
}

/** The host of a gateway; with its number where two are alike. */
export function nameOf(index, gateways) {
  const host = hostOf(gateways[index] ?? `gateway ${index + 1}`);
  const alike = gateways.filter((url) => hostOf(url) === host).length > 1;
  return alike ? `${host} [${index}]` : host;
}

export const FAULT_TEXTS = {
  down: 'down: open sockets are closed with 1006, dials refused',
  close: 'close: sockets are closed with a code, dials opened and closed with it',
  hang: 'hang: no dial opens or fails, nothing is answered',
  busy: 'busy: answers “not performed, try again”',
  error: 'error: answers with an error',
  mute: 'mute: performs, never answers',
  slow: 'slow: opens and answers late',
};

export const EVENT_TEXTS = {
  cut: 'cut: the live connection is lost, with what is on its way',
  drop: 'drop: the line is dead, and nobody says so',
  sleep: 'sleep: the machine sleeps',
  wake: 'wake: a wake signal comes',
  reconnect: 'reconnect(): the application calls it',
  connect: 'connect(): the application calls it',
  close: 'close(): the application calls it',
};
