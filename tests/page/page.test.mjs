// The explorer in a browser: one build, one server and one browser for all of it.
import { after, before } from 'node:test';
import { life, start } from './support.mjs';

before(start);
after(() => life.end());

await import('./stories.mjs');
await import('./editing.mjs');
await import('./exchange.mjs');
await import('./access.mjs');
await import('./live.mjs');
