// Tables of plain text, and numbers in them.

/**
 * One table of several blocks, each with a head of its own, over common columns. The first column is text; the others
 * are numbers, to the right, unless they are text as well.
 *
 * @param {{ head: string[], rows: unknown[][] }[]} blocks
 * @param {'left' | 'right'} [side]
 * @returns {string}
 */
export function table(blocks, side = 'right') {
  const lines = blocks.flatMap(({ head, rows }) => [head, ...rows]).map((row) => row.map(String));
  const count = Math.max(...lines.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...lines.map((row) => row[at]?.length ?? 0)),
  );
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const show = (row) =>
    `| ${widths
      .map((width, at) => {
        const text = String(row[at] ?? '');
        return at === 0 || side === 'left' ? text.padEnd(width) : text.padStart(width);
      })
      .join(' | ')} |`;
  const shown = blocks.flatMap(({ head, rows }) => [rule, show(head), rule, ...rows.map(show)]);
  return [...shown, rule].join('\n');
}

/** @param {number} value */
export const count = (value) => value.toLocaleString('en');

/** @param {number | undefined} value milliseconds */
export function span(value) {
  if (value === undefined || Number.isNaN(value)) return 'never';
  return value < 1000 ? `${value.toFixed(value < 10 ? 1 : 0)} ms` : `${(value / 1000).toFixed(2)} s`;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
