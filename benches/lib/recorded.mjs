// What is measured held against what is recorded.

/** By how much a number may differ from its record, in percent. */
const TOLERANCE = 2;

const ACCEPT = '`make accept` records it, for you to commit';

const shown = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** Of instructions and bytes, numbers by name: for each name whether it passes, and what is to be said of it, if anything. */
export function compare(recorded, measured) {
  return ['instructions', 'bytes'].flatMap((unit) => {
    const [before, now] = [recorded[unit] ?? {}, measured[unit]];
    return [...new Set([...Object.keys(now), ...Object.keys(before)])].map((name) => {
      const { passes, said } = judge(before[name], now[name], unit);
      return { passes, said: said && `${name}: ${said}` };
    });
  });
}

function judge(before, now, unit) {
  if (before === undefined)
    return { passes: false, said: `${shown(now)} ${unit} and no record yet. ${ACCEPT}` };
  if (now === undefined)
    return { passes: false, said: `recorded, but no longer measured. If that is meant, ${ACCEPT}` };
  const percent = ((now - before) * 100) / before;
  const numbers = `${shown(before)} ${unit} recorded, ${shown(now)} now`;
  if (percent > TOLERANCE)
    return {
      passes: false,
      said: `${numbers}: ${percent.toFixed(1)} % more. If it is worth that, ${ACCEPT}`,
    };
  if (percent < -TOLERANCE)
    return { passes: true, said: `${numbers}: ${(-percent).toFixed(1)} % less. ${ACCEPT}, so that it stays` };
  return { passes: true, said: undefined };
}

/** In what the toolchains differ, which may be all there is to a difference; nothing where they do not. */
export function toolchainNote(recorded = {}, measured) {
  const names = Object.keys(measured).filter((name) => measured[name] !== recorded[name]);
  if (names.length === 0) return undefined;
  const list = names.map((name) => `${name} ${recorded[name] ?? 'unknown'} then, ${measured[name]} now`);
  return `recorded with another toolchain, which alone may be the reason: ${list.join('; ')}`;
}
