// What a core is told in one number, and may be asked: one call for all of it, as each call of its own is code and glue.

export const TICK = 0; // time has passed
export const CONNECT = 1;
export const RECONNECT = 2;
export const CLOSE = 3;
export const ABORT_CONNECT = 4;
export const CLOSE_WHEN_DONE = 5;
export const DRAIN = 6;
export const WOKEN = 7;
export const HIDDEN = 8;
export const SHOWN = 9;
export const ABORT = 10; // of the operation of this number
export const SESSION_DONE = 11; // on the socket of this number

export const GATEWAY = 0;
export const FAILURES = 1;
export const STATS = 2;
