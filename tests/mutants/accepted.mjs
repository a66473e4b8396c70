// The list of mutants that may survive, accepted.md: read, and compared with those that did.
import { readFileSync } from 'node:fs';

/** Every entry: its file, the change, the line of code that is changed, and the reason why that changes no behaviour. */
export function readAccepted(text = readFileSync(new URL('accepted.md', import.meta.url), 'utf8')) {
  const entries = [];
  let file;
  for (const line of text.split('\n')) {
    const heading = /^## (\S+)$/.exec(line);
    const change = /^- `(.+)`$/.exec(line);
    const code = /^ {2}`(.+)`$/.exec(line);
    const reason = /^ {2}([^`].*)$/.exec(line);
    if (heading) file = heading[1];
    else if (change) entries.push({ file, change: change[1], code: undefined, reason: '' });
    else if (code && entries.length > 0) entries.at(-1).code = code[1];
    else if (reason && entries.length > 0) entries.at(-1).reason += `${reason[1]} `;
  }
  return entries;
}

/** A survivor as cargo-mutants names it (`file:line:column: change`), with its line of code in place of its number. */
export function survivorOf(name, source) {
  const [, file, line, change] = /^(.+?):(\d+):\d+: (.+)$/.exec(name);
  return { file, line: Number(line), change, code: source.split('\n')[Number(line) - 1].trim() };
}

/** Which survivors no entry accepts, and which entries no survivor needs. One entry is for one survivor. */
export function compare(survivors, entries) {
  const left = [...entries];
  const fresh = survivors.filter(({ file, change, code }) => {
    const place = left.findIndex(
      (entry) => entry.file === file && entry.change === change && entry.code === code,
    );
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  return { fresh, unneeded: left };
}
