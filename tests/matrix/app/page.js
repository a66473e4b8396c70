// The application in a page.
import { run } from './run.js';
import { fail, tell } from './told.js';

globalThis.start = (options) => {
  run(options, tell).catch(fail);
};
