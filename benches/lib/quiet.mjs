// How much of the machine others use: CPU of all processes that do not descend from this one.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;
const SAMPLE_MILLISECONDS = 1500;
/** So few cores used by others are quiet enough. */
const QUIET_CORES = 0.1;
const KERNEL_THREADS = 2; // the process whose children they are
const ROOTS = [0, 1];

/** Of a process: its parent, and its ticks of CPU with those of the children it has waited for. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined; // it has ended meanwhile
  }
}

function ticksOfOthers() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = new Map(pids.map((pid) => [Number(pid), statOf(pid)]));
  const isOurs = (pid) => {
    if (pid === process.pid || pid === KERNEL_THREADS) return true;
    const stat = processes.get(pid);
    return stat !== undefined && !ROOTS.includes(pid) && isOurs(stat.parent);
  };
  let sum = 0;
  for (const [pid, stat] of processes) if (stat !== undefined && !isOurs(pid)) sum += stat.ticks;
  return sum;
}

/** Begins to watch; calling what it returns says how many cores others have used since. */
export function watchOthers() {
  const ticks = ticksOfOthers();
  const began = performance.now();
  return () => {
    const seconds = (performance.now() - began) / 1000;
    return Math.max(0, (ticksOfOthers() - ticks) / TICKS_PER_SECOND / seconds);
  };
}

/** Waits until others leave the machine alone, or the limit is reached. */
export async function waitForQuiet(limitMilliseconds) {
  for (const end = performance.now() + limitMilliseconds; performance.now() < end; ) {
    const coresOfOthers = watchOthers();
    await after(SAMPLE_MILLISECONDS);
    if (coresOfOthers() <= QUIET_CORES) return;
  }
}
