import { useEffect, useMemo, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { Chart } from './chart.jsx';
import { Engine, Latest } from './engine.js';
import { Errors, Field } from './fields.jsx';
import { count, time } from './format.js';
import { DEFAULT_CLIENTS, forFleet, OPTIONS } from './model.js';

const JITTER = OPTIONS.find(({ path }) => path === 'networking.jitter').default;
const makeDials = (colour) => ({
  cursor: { y: false, points: { show: false } },
  axes: [
    { values: (_, values) => values.map((seconds) => time(Math.round(seconds * 1000))), size: 28, space: 70 },
    { values: (_, values) => values.map(count), size: 48, space: 26 },
  ],
  series: [
    {},
    {
      stroke: colour('bad'),
      fill: colour('bad-soft'),
      width: 1,
      points: { show: false },
      paths: UPlot.paths.stepped({ align: 1 }),
    },
  ],
  padding: [8, 22, 0, 0],
});

/** The same script with many clients at once: how many dials come together, as configured and without jitter. */
export function Fleet({ state, edit, theme }) {
  const isWanted = state.clients !== undefined;
  const [open, setOpen] = useState(isWanted);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted]);
  return (
    <details
      class="card"
      id="fleet"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h2>A thundering herd?</h2>
        <span class="note">The same faults, met by many clients at once.</span>
      </summary>
      {open && <Played state={state} edit={edit} theme={theme} />}
    </details>
  );
}

const jitterText = (jitter) => (jitter === 0 ? 'without jitter' : `with jitter ${jitter}`);

/** An engine of its own, so that a fleet does not hold up the time line. */
let fleetEngine;

function Played({ state, edit, theme }) {
  const [runs, setRuns] = useState();
  const [latest] = useState(() => {
    fleetEngine ??= new Engine();
    return new Latest(([now, list]) => playAll(fleetEngine, now, list));
  });
  const jitter = state.options['networking.jitter'] ?? JITTER;
  useEffect(() => {
    const other = jitter === 0 ? JITTER : 0;
    const list = [
      [`As configured, ${jitterText(jitter)}`, {}],
      [`The same ${jitterText(other)}`, { 'networking.jitter': other }],
    ];
    const timer = setTimeout(() => latest.ask([state, list], setRuns), 150);
    return () => clearTimeout(timer);
  }, [state, jitter, latest]);
  const most = Math.max(0, ...(runs?.list ?? []).map(({ result }) => result.totals.mostDialsInABucket));
  // What is wrong elsewhere is said elsewhere.
  const errors = new Map(
    (runs?.errors ?? []).filter(({ path }) => path === 'clients').map((error) => [error.path, error]),
  );
  return (
    <Errors.Provider value={errors}>
      <Field
        path="clients"
        label="clients"
        value={state.clients ?? DEFAULT_CLIENTS}
        onValue={(clients) => edit((now) => ({ ...now, clients }))}
      />
      {state.plainClient !== undefined && (
        <p class="note">Played with regate’s rules: the plain client has no chance to draw.</p>
      )}
      {runs?.list?.map(({ title, result, bucket }) => (
        <Histogram key={title} title={title} result={result} bucket={bucket} most={most} theme={theme} />
      ))}
      {runs === undefined && <p class="note">Playing…</p>}
      {runs?.errors && <p class="note">Not played while a field is wrong.</p>}
    </Errors.Provider>
  );
}

async function playAll(engine, state, list) {
  const played = [];
  for (const [title, options] of list) {
    const scenario = forFleet(state, options);
    const result = await engine.call('explore', scenario);
    if (result.errors !== undefined) return result;
    played.push({ title, result, bucket: scenario.bucketMilliseconds });
  }
  return { list: played };
}

function Histogram({ title, result, bucket, most, theme }) {
  const { gateways, totals, until } = result;
  const sums = useMemo(
    () => gateways[0].buckets.map((_, at) => gateways.reduce((sum, { buckets }) => sum + buckets[at], 0)),
    [gateways],
  );
  // The last point closes the last bucket.
  const data = useMemo(
    () => [
      [...sums.map((_, at) => (at * bucket) / 1000), until / 1000],
      [...sums, 0],
    ],
    [sums, bucket, until],
  );
  const make = useMemo(
    () => (colour) => ({
      ...makeDials(colour),
      scales: { x: { time: false }, y: { range: [0, Math.max(10, most)] } },
    }),
    [most],
  );
  const tenth = sums.toSorted((a, b) => b - a)[9] ?? 0;
  const per = time(bucket);
  return (
    <figure class="histogram">
      <figcaption>
        <strong>{title}</strong>
        <span class="note">
          {' '}
          busiest {per}: <b>{count(Math.max(...sums))}</b> dials, the tenth busiest <b>{count(tenth)}</b>;{' '}
          {count(totals.dials)} dials in all; {count(totals.connectedAtEnd)} of {count(totals.clients)}{' '}
          clients connected at the end
          {result.cut && `; played only to ${time(until)}`}
        </span>
      </figcaption>
      <Chart
        make={make}
        data={data}
        height={120}
        theme={theme}
        label={`${title}: dials in each ${per}; the most is ${Math.max(...sums)}`}
      />
    </figure>
  );
}
