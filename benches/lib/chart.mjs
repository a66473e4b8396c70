// Charts as SVG, without a browser: dots with their ranges, one line for each client.
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

const ROW_PIXELS = 22;
const FRAME_PIXELS = 90;
const WIDTH_PIXELS = 760;
const LABEL_PIXELS = 190;
const OURS = '#c2410c';
const LIMIT = '#64748b';
const OTHERS = '#2563eb';

const colourOf = ({ label }) => (label === 'regate' ? OURS : /^(raw|the same)/.test(label) ? LIMIT : OTHERS);

/**
 * @param {{ title: string, points: { label: string, value: number, low?: number, high?: number }[], base?: number, isLog?: boolean }} chart
 * @returns {string} the file
 */
export function draw({ title, points, base, isLog = false }) {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const shown = points.filter(({ value }) => value !== null);
  const start = isLog ? undefined : Math.min(0, ...shown.map(({ value }) => value));
  const svg = Plot.plot({
    document,
    width: WIDTH_PIXELS,
    height: FRAME_PIXELS + ROW_PIXELS * shown.length,
    marginLeft: LABEL_PIXELS,
    marginRight: 60,
    marginTop: 50,
    style: { background: 'white', color: '#1e293b', fontFamily: 'system-ui, sans-serif', fontSize: '12px' },
    x: {
      type: isLog ? 'log' : 'linear',
      grid: true,
      label: null,
      nice: true,
      ...(isLog ? { tickFormat: (tick) => (/^1/.test(String(tick)) ? String(tick) : '') } : { zero: true }),
    },
    y: { label: null, domain: shown.toSorted((a, b) => a.value - b.value).map(({ label }) => label) },
    marks: [
      base === undefined ? null : Plot.ruleX([base], { stroke: LIMIT, strokeDasharray: '4,3' }),
      start === undefined
        ? null
        : Plot.ruleY(shown, { y: 'label', x1: start, x2: 'value', stroke: colourOf, strokeOpacity: 0.25 }),
      Plot.ruleY(
        shown.filter(({ low }) => low !== undefined),
        { y: 'label', x1: 'low', x2: 'high', stroke: colourOf, strokeWidth: 3, strokeOpacity: 0.5 },
      ),
      Plot.dot(shown, { y: 'label', x: 'value', fill: colourOf, r: 4.5 }),
      Plot.text(shown, {
        y: 'label',
        x: ({ value, high = value }) => Math.max(value, high),
        text: ({ value }) => figure(value),
        dx: 8,
        textAnchor: 'start',
      }),
      Plot.text([title], {
        frameAnchor: 'top-left',
        dx: 8 - LABEL_PIXELS,
        dy: -38,
        fontSize: 14,
        fontWeight: 600,
      }),
    ],
  });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${svg.outerHTML}\n`;
}

/** Three digits. */
const figure = (value) =>
  value.toLocaleString(
    'en-US',
    value < 1000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
