// The application as a program, which is to end by itself.
import process from 'node:process';
import { run } from './run.js';

const options = JSON.parse(process.argv.at(-1));
if (globalThis.WebSocket === undefined) options.WebSocket = (await import('ws')).WebSocket;
await run(options, (step) => console.log(JSON.stringify(step)));
