// The signals that a network, a tab or a machine gives when it may be back.

import { HIDDEN, SHOWN, WOKEN } from './events.js';

/** What is listened to, where the platform has it; never `unload`, which would cost the page its place in the cache. */
function sources() {
  const all = [];
  const add = (target, type, signal) => {
    if (typeof target?.addEventListener === 'function') all.push([target, type, signal]);
  };
  const { document } = globalThis;
  add(globalThis, 'online', () => WOKEN);
  add(globalThis, 'pageshow', (event) => (event.persisted ? SHOWN : WOKEN));
  add(globalThis, 'pagehide', (event) => (event.persisted ? HIDDEN : undefined));
  add(document, 'visibilitychange', () => (document.visibilityState === 'visible' ? WOKEN : undefined));
  add(document, 'resume', () => WOKEN);
  return all;
}

/** Listens until the function that it returns is called. */
export function listenForWakes(tell) {
  const listeners = sources().map(([target, type, signal]) => {
    const listener = (event) => {
      const kind = signal(event);
      if (kind !== undefined) tell(kind);
    };
    target.addEventListener(type, listener);
    return () => target.removeEventListener(type, listener);
  });
  return () => {
    for (const end of listeners) end();
  };
}
