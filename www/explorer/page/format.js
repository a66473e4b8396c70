const UNITS = [
  ['Milliseconds', 'ms'],
  ['Seconds', 's'],
  ['Bytes', 'bytes'],
];

/** A length or a point of time, exact to the millisecond. */
export function time(milliseconds) {
  if (typeof milliseconds !== 'number') return String(milliseconds ?? '?');
  if (milliseconds === 0) return '0 s';
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${milliseconds / 1000} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  const rest = (milliseconds % 60_000) / 1000;
  const seconds = rest === 0 ? '' : ` ${rest} s`;
  if (minutes < 60) return `${minutes} min${seconds}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}${seconds}`;
}

export const count = (number) => number.toLocaleString('en');
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** The unit that an option has by its name. */
export function unitOf(name) {
  if (/atio$|itter$/.test(name)) return '0 to 1';
  return UNITS.find(([end]) => name.endsWith(end))?.[1] ?? '';
}

/** What a person typed: a number where it is one, nothing where it is empty, or the text, which the engine then refuses. */
export function numberOrText(text) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
}

/** A step of 1, 2 or 5 times a power of ten, at least so long. */
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least);
}

const AXIS_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000],
  ...[120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000],
];

/** Round points of time within a view, at most so many. */
export function ticks([from, until], most) {
  const step = AXIS_STEPS.find((each) => (until - from) / each <= most) ?? 86_400_000;
  const list = [];
  for (let at = Math.ceil(from / step) * step; at <= until; at += step) list.push(at);
  return list;
}

/** `wss://a.example/ws` as `a.example`. */
export function hostOf(url) {
  try {
    return new URL(url).host || String(url);
  } catch {
    return String(url);
  }
}
