// Medians, ranges, and numbers as they are shown.

const given = (values) => values.filter((value) => value !== null && value !== undefined);

export function median(values) {
  const sorted = given(values).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The least and the most. */
export function range(values) {
  const all = given(values);
  return all.length ? [Math.min(...all), Math.max(...all)] : null;
}

/** What is said of a list of measurements: median, range, how many. */
export const summary = (values) => ({
  median: median(values),
  range: range(values),
  count: given(values).length,
});

export const number = (value, digits = 0) =>
  value === null || value === undefined
    ? '–'
    : value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });

export const kib = (bytes) => (bytes / 1024).toFixed(1);

/** `12 [10–14]` */
export function spread({ median: middle, range: ends }, digits = 0) {
  if (middle === null) return '–';
  return `${number(middle, digits)} [${ends.map((end) => number(end, digits)).join('–')}]`;
}
