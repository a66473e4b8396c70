// The demo's one table.

import { count, median, span, table } from './table.mjs';
import { FINDINGS } from './verdict.mjs';

const KINDS = { read: 'reads', write: 'writes', 'redo write': 'redo writes' };

/**
 * How long after each fault that cost the connection the next operation was answered, in milliseconds.
 *
 * @param {{ at: number, isLoss: boolean }[]} faults
 * @param {{ type: string, at: number, to?: string }[]} events
 * @param {{ outcome: string, settledAt: number }[]} outcomes
 */
export function failovers(faults, events, outcomes) {
  const losses = events.filter(({ type, to }) => type === 'statechange' && to === 'reconnecting');
  const answers = outcomes.filter(({ outcome }) => outcome === 'ok').map(({ settledAt }) => settledAt);
  return faults
    .filter(({ isLoss }) => isLoss)
    .map((fault) => {
      const lostAt = losses.find(({ at }) => at >= fault.at)?.at;
      const answeredAt = Math.min(...answers.filter((at) => lostAt !== undefined && at > lostAt));
      return { ...fault, milliseconds: Number.isFinite(answeredAt) ? answeredAt - fault.at : Number.NaN };
    });
}

/** @param {{ outcomes: any[], audit: any, faults: any[], phases: any[], events: any[], log: any[] }} run */
export function report({ outcomes, audit, faults, phases, events, log }) {
  const times = failovers(faults, events, outcomes);
  const of = (kind) => outcomes.filter((outcome) => kind === undefined || outcome.kind === kind);
  const operations = (name, list) => [
    name,
    count(list.length),
    count(list.filter(({ outcome }) => outcome === 'ok').length),
    count(list.filter(({ handedToSocket }) => handedToSocket > 1).length),
    ...failed(list),
  ];
  const outage = ({ name, from, to }) => {
    const within = ({ at }) => at >= from && at < to;
    const own = times.filter(({ phase }) => phase === name).map(({ milliseconds }) => milliseconds);
    return [
      name,
      own.length === 0 ? '-' : span(Math.max(...own)),
      events.filter((event) => event.type === 'dial' && within(event)).length,
      log.filter(within).length,
      ...failed(outcomes.filter(({ settledAt }) => settledAt >= from && settledAt < to)),
    ];
  };
  const all = times.map(({ milliseconds }) => milliseconds);
  return table([
    {
      head: ['operations', 'made', 'answered', 'retried', 'failed: no', 'maybe', 'yes'],
      rows: [
        ...Object.entries(KINDS).map(([kind, name]) => operations(name, of(kind))),
        operations('all', of()),
      ],
    },
    {
      head: ['outages', 'answered after', 'dials', 'log lines', 'failed: no', 'maybe', 'yes'],
      rows: phases.map(outage),
    },
    {
      head: ['from fault to answer', 'median', 'max'],
      rows: [['all losses', span(median(all)), span(Math.max(...all))]],
    },
    {
      head: ['audit of the journal', 'operations'],
      rows: Object.entries(FINDINGS).map(([name, words]) => [words, count(audit.findings[name].count)]),
    },
  ]);
}

function failed(list) {
  return ['no', 'maybe', 'yes'].map((wanted) =>
    count(list.filter(({ completion }) => completion === wanted).length),
  );
}
