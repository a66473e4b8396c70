import { positionOf } from './live.js';

const LINES_SHOWN = 60;
const KINDS = { read: 'reads', write: 'writes', 'redo write': 'redo writes' };
const shownLast = new WeakMap();

const clock = (at) => new Date(performance.timeOrigin + at).toTimeString().slice(0, 8);
const milliseconds = (value) => (value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);

/** The table of outcomes by kind. */
export function showCounts(table, { counts, open }) {
  const body = table.tBodies[0];
  const openOf = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]));
  for (const { kind } of open.values()) openOf[kind] += 1;
  for (const [index, [kind, name]] of Object.entries(KINDS).entries()) {
    const row = body.rows[index] ?? makeRow(body, name);
    const { answered, retried, no, maybe, yes } = counts[kind];
    for (const [cell, value] of [answered, retried, openOf[kind], no, maybe, yes].entries()) {
      const { [cell + 1]: target } = row.cells;
      const text = value.toLocaleString('en');
      if (target.textContent !== text) target.textContent = text;
      target.classList.toggle('none', value === 0);
    }
  }
}

function makeRow(body, name) {
  const row = body.insertRow();
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = name;
  row.append(head);
  for (let cell = 0; cell < 6; cell += 1) row.insertCell();
  return row;
}

/** The state in a word, and what it is waiting for. */
export function showState(box, name, detail, { client, events }, now) {
  const { state } = client;
  if (name.textContent !== state) {
    name.textContent = state;
    box.dataset.state = state;
  }
  const text = stateDetail(state, events.list(), now);
  if (detail.textContent !== text) detail.textContent = text;
}

function stateDetail(state, events, now) {
  const change = events.findLast(({ type }) => type === 'statechange');
  if (change === undefined) return '';
  if (state === 'connected') return `gateway ${positionOf(change.gateway)}`;
  if (state === 'closed') return change.reason;
  const last = events.findLast(({ type }) => type === 'dial' || type === 'waiting');
  if (last?.type === 'waiting' && last.at >= change.at) {
    const left = Math.max(0, last.at + last.milliseconds - now);
    return `round ${last.round} in ${(left / 1000).toFixed(1)} s`;
  }
  return last === undefined ? '' : `trying gateway ${positionOf(last.gateway)}, round ${last.round}`;
}

/** What an event says, in a line. */
export function eventText({ type, from, to, gateway, reason, closeCode, cause, verdict, round, ...more }) {
  const who = gateway === undefined ? '' : `gateway ${positionOf(gateway)}`;
  const code = closeCode === undefined ? '' : ` ${closeCode}`;
  switch (type) {
    case 'statechange':
      return to === 'connected'
        ? `${from} → ${to}: ${who}`
        : `${from} → ${to}: ${who} ${reason}${code}`.trimEnd();
    case 'dial':
      return `dial ${who}, round ${round}`;
    case 'dialfailed':
      return `${who}: ${cause}${code}, ${verdict}`;
    case 'waiting':
      return `wait ${milliseconds(more.milliseconds)} before round ${round}`;
    case 'log':
      return more.text;
    default:
      return `${type}: ${reason}`;
  }
}

/** The newest lines first; rewritten only when there is a new one. */
export function showLines(list, ring) {
  if (shownLast.get(list) === ring.last) return;
  const entries = ring.list();
  const seen = shownLast.get(list);
  const fresh = seen === undefined ? entries : entries.slice(entries.lastIndexOf(seen) + 1);
  shownLast.set(list, ring.last);
  for (const entry of fresh) list.prepend(line(clock(entry.at), eventText(entry), entry.level ?? entry.type));
  while (list.children.length > LINES_SHOWN) list.lastChild.remove();
}

/** One line of a list. */
export function line(time, text, kind) {
  const item = document.createElement('li');
  item.className = kind;
  const when = document.createElement('time');
  when.textContent = time;
  const what = document.createElement('span');
  what.textContent = text;
  item.append(when, what);
  return item;
}
