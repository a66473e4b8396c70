import { useEffect, useMemo, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { Chart } from './chart.jsx';
import { Field } from './fields.jsx';
import { count, plural, time } from './format.js';
import { OPTIONS } from './model.js';
import { setOption } from './options.jsx';

const PATH = 'networking.connectTimeouts';
const fallback = OPTIONS.find(({ path }) => path === PATH).default;
const JITTER = OPTIONS.find(({ path }) => path === 'networking.jitter').default;
const MINUTES = ['first', 'second', 'third'];
const ROWS = [
  ['schedule', 'this schedule'],
  ['fixed', 'a fixed wait of 1\u00a0s'],
  ['none', 'no waits'],
];

const makeWaits = (colour) => ({
  cursor: { show: false },
  scales: {
    x: { time: false, range: (_, least, most) => [least - 0.7, most + 0.7] },
    y: { range: (_, __, most) => [0, Math.max(1, most)] },
  },
  axes: [
    { grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], size: 24 },
    { values: (_, values) => values.map(time), size: 58, space: 26 },
  ],
  series: [{}, bars(colour('wait-soft')), bars(colour('wait'))],
  padding: [8, 4, 0, 0],
});

const bars = (fill) => ({
  fill,
  width: 0,
  points: { show: false },
  paths: UPlot.paths.bars({ size: [0.7, 40] }),
});

/** The text of the connect schedule beside what it amounts to. */
export function Schedule({ state, edit, engine, theme }) {
  const [told, setTold] = useState();
  const text = state.options[PATH] ?? fallback;
  const jitter = state.options['networking.jitter'] ?? JITTER;
  const dialMilliseconds = state.world.refuseMilliseconds ?? 20;
  useEffect(() => {
    let isOver = false;
    engine.call('schedule', { text, jitter, dialMilliseconds, minutes: MINUTES.length }).then((result) => {
      if (!isOver && result.errors === undefined) setTold({ ...result, jitter });
    }, console.error);
    return () => {
      isOver = true;
    };
  }, [engine, text, jitter, dialMilliseconds]);
  const data = useMemo(
    () => told && [told.waits.map((_, index) => index + 1), told.waits, told.shortest],
    [told],
  );
  return (
    <section aria-labelledby="schedule-title" id="schedule">
      <h2 id="schedule-title">Connect schedule</h2>
      <Field
        path={`options.${PATH}`}
        label="initial:max:backoff[:maxsingle], in ms, ms, percent, ms"
        value={state.options[PATH]}
        fallback={fallback}
        isText
        wide
        onValue={(value) => edit((now) => setOption(now, PATH, value, fallback))}
      />
      {told && (
        <>
          <Chart make={makeWaits} data={data} height={128} theme={theme} label={waitsLabel(told)} />
          <p class="note">
            {plural(told.waits.length, 'wait')}
            {told.waitsCut && ' and more'}, {time(told.sumMilliseconds)} in all.{' '}
            {told.jitter > 0 && `Jitter ${told.jitter} makes each as short as the strong part of its bar.`}
            {told.warnings.length > 0 && <strong> Odd, though allowed: {told.warnings.join(', ')}.</strong>}
          </p>
          <DialsAMinute dialsByMinute={told.dialsByMinute} dialMilliseconds={dialMilliseconds} />
        </>
      )}
    </section>
  );
}

function waitsLabel({ waits, jitter }) {
  const shown = waits.slice(0, 20).map(time).join(', ');
  return `The waits: ${shown}${waits.length > 20 ? ' and so on' : ''}; jitter ${jitter}`;
}

function DialsAMinute({ dialsByMinute, dialMilliseconds }) {
  return (
    <table class="numbers">
      <caption>Dials of one dead gateway in each minute; a dial fails after {time(dialMilliseconds)}</caption>
      <thead>
        <tr>
          <th scope="col">with</th>
          {MINUTES.map((minute) => (
            <th scope="col" key={minute}>
              {minute}
              <span class="hidden"> minute</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([name, text]) => (
          <tr key={name}>
            <th scope="row">{text}</th>
            {dialsByMinute[name].map((dials, index) => (
              <td key={index}>{count(dials)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
