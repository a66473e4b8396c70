import { begin } from './canvas.js';

const SPAN_SECONDS = 60;
const LATENCY_DECADES = [1, 10, 100, 1000, 10_000];
const GUTTER = 56;

const median = (sorted) => sorted[Math.floor(sorted.length / 2)];

function* columns(ring, now, width) {
  const current = Math.floor(now / 1000);
  const step = (width - GUTTER) / SPAN_SECONDS;
  for (const second of ring.list()) {
    const age = current - second.number;
    if (age > 0 && age <= SPAN_SECONDS) yield { second, x: width - age * step, step };
  }
}

function gridLine({ context, width, color }, y, text) {
  context.fillStyle = color('rule');
  context.fillRect(GUTTER, Math.round(y), width - GUTTER, 1);
  context.fillStyle = color('muted');
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillText(text, GUTTER - 8, y);
}

/** Bars: answered, and failed on top of them. */
export function drawRate(canvas, output, ring, now) {
  const frame = begin(canvas);
  const { context, width, height, color } = frame;
  const list = [...columns(ring, now, width)];
  const most = Math.max(40, ...list.map(({ second }) => second.answered + second.failed));
  const top = niceAbove(most);
  const floor = height - 8;
  const y = (value) => floor - (value / top) * (floor - 10);
  for (const value of [0, top / 2, top]) gridLine(frame, y(value), String(value));
  for (const { second, x, step } of list) {
    const bar = Math.max(1, step - 1.5);
    context.fillStyle = color('open');
    context.fillRect(x, y(second.answered), bar, floor - y(second.answered));
    context.fillStyle = color('bad');
    context.fillRect(
      x,
      y(second.answered + second.failed),
      bar,
      y(second.answered) - y(second.answered + second.failed),
    );
  }
  const last = lastFull(list, now);
  output.textContent = last
    ? `${last.answered} answered${last.failed ? `, ${last.failed} failed` : ''}`
    : '0 answered';
}

/** A line for the median, dots for the slowest. */
export function drawLatency(canvas, output, ring, now) {
  const frame = begin(canvas);
  const { context, width, height, color } = frame;
  const [lowest, highest] = [0.3, 20_000].map(Math.log10);
  const y = (value) => {
    const part = (Math.log10(Math.max(value, 0.3)) - lowest) / (highest - lowest);
    return height - 8 - part * (height - 18);
  };
  for (const value of LATENCY_DECADES)
    gridLine(frame, y(value), value >= 1000 ? `${value / 1000} s` : `${value} ms`);
  const shown = [];
  for (const { second, x, step } of columns(ring, now, width)) {
    const times = summary(second);
    if (times !== undefined) shown.push({ x: x + step / 2, number: second.number, ...times });
  }
  context.fillStyle = color('wait');
  for (const { x, slowest } of shown) {
    context.beginPath();
    context.arc(x, y(slowest), 2, 0, 2 * Math.PI);
    context.fill();
  }
  context.strokeStyle = color('open');
  context.lineWidth = 1.75;
  context.lineJoin = 'round';
  context.beginPath();
  for (const [index, { x, number, middle }] of shown.entries()) {
    if (index === 0 || shown[index - 1].number !== number - 1) context.moveTo(x, y(middle));
    context.lineTo(x, y(middle));
  }
  context.stroke();
  const last = shown.at(-1);
  output.textContent = last ? `${time(last.middle)} median, ${time(last.slowest)} slowest` : '';
}

/** The median and the slowest of a second that is over, worked out once. */
function summary(second) {
  if (second.latencies.length > 0) {
    const sorted = second.latencies.splice(0).sort((a, b) => a - b);
    second.times = { middle: median(sorted), slowest: sorted.at(-1) };
  }
  return second.times;
}

function time(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

function lastFull(list, now) {
  const wanted = Math.floor(now / 1000) - 1;
  return list.find(({ second }) => second.number === wanted)?.second;
}

function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((digit) => digit * power).find((nice) => nice >= value);
}
