// What a run shows at its end: one table.

import { count, table } from '../demo/table.mjs';

const KINDS = ['read', 'write', 'redo write', 'key write'];

/** @param {any} run @param {import('./verdict.mjs').Check[]} checks */
export function report({ outcomes, strikes, reports }, checks) {
  const of = (kind) => outcomes.filter((said) => kind === undefined || said.kind === kind);
  const ended = (list, how) => count(list.filter((said) => (said.completion ?? said.outcome) === how).length);
  const row = (name, list) => [
    name,
    count(list.length),
    ...['ok', 'no', 'maybe', 'yes'].map((how) => ended(list, how)),
    count(list.filter(({ handedToSocket }) => handedToSocket > 1).length),
  ];
  const codes = new Map();
  for (const { code } of outcomes) if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1);
  const total = (part, name) => reports.reduce((sum, one) => sum + one[part][name], 0);
  return [
    table([
      {
        head: ['operations', 'made', 'ok', 'no', 'maybe', 'yes', 'sent again'],
        rows: [...KINDS.map((kind) => row(kind, of(kind))), row('all', of())],
      },
      {
        head: ['faults', 'set', 'struck'],
        rows: strikes.map(({ words, set, struck }) => [words, count(set), count(struck)]),
      },
      {
        head: ['clients', 'times'],
        rows: [
          ['sessions', count(total('counts', 'sessions'))],
          ['reconnects asked for', count(total('counts', 'reconnects'))],
          ['closed and connected again', count(total('counts', 'reopened'))],
          ['drained and connected again', count(total('counts', 'drains'))],
          ['gave up and connected again', count(total('counts', 'gaveUp'))],
          ['subscriptions made', count(total('subscribed', 'subscribed'))],
          ['subscriptions refused', count(total('subscribed', 'refused'))],
          ['notifications heard', count(total('subscribed', 'heard'))],
          ['answers of nothing in flight', count(total('stats', 'unmatchedAnswers'))],
          ['messages not understood', count(total('stats', 'protocolErrors'))],
        ],
      },
      {
        head: ['errors', 'operations'],
        rows: [...codes].sort().map(([code, times]) => [code, count(times)]),
      },
      {
        head: ['promises', 'wanted', 'found', ''],
        rows: checks.map(({ check, wanted, found, passed }) => [
          check,
          wanted,
          found.split(' (')[0],
          passed ? 'ok' : 'FAIL',
        ]),
      },
    ]),
  ].join('\n');
}
