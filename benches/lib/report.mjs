// What a run has found, as Markdown with charts. Each section stands for itself, so that one can be measured again alone.

/** One line: what failed may say more. */
const cell = (value) => String(value).split('\n')[0].replaceAll('|', '\\|');
const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;

/** A table whose first column is text and whose others are numbers. */
export function markdownTable({ head, rows }) {
  const rule = head.map((_name, at) => (at === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map(line).join('\n');
}

export function markdownSection({ title, tables, charts }, { conditions }) {
  const shown = tables.map((table) => `${table.note}\n\n${markdownTable(table)}`);
  const drawn = charts.map((chart) => `![${chart.title}](${chart.name}.svg)`);
  return [`## ${title}`, ...shown, ...drawn, conditionsLine(conditions)].join('\n\n');
}

function conditionsLine({ date, seconds, coresOfOthers, cores, isQuick }) {
  const quick = isQuick ? ' A quick run: too short to be held for more than a trial.' : '';
  return `*${date}, ${seconds.toFixed(0)} s; other processes used ${coresOfOthers.toFixed(2)} of ${cores} cores meanwhile.${quick}*`;
}

/** The whole report. */
export function markdown(machine, sections) {
  const { chromium, cores, model, node, version } = machine;
  const intro = `regate ${version} beside what one would use otherwise: Chromium ${chromium}, Node ${node}, ${cores} × ${model}, all over loopback. \`make bench\` writes this; [what is measured, and how](../../README.md).`;
  return `${[`# Measured on ${machine.date}`, intro, ...sections].join('\n\n')}\n`;
}
