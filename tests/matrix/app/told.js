// Keeps what the application tells until the page is asked: `await next()`.
const told = [];
let asked;

export function tell(event) {
  if (asked === undefined) told.push(event);
  else asked(event);
  asked = undefined;
}

export const fail = (error) => tell({ step: 'failed', error: String(error?.stack ?? error) });

globalThis.next = () =>
  new Promise((resolve) => {
    if (told.length > 0) resolve(told.shift());
    else asked = resolve;
  });
