// The application in a worker of any kind: it is sent its options and a port to tell its steps to.
import { run } from './run.js';

function start(event) {
  const { options } = event.data;
  const [port] = event.ports;
  const work = run(options, (step) => port.postMessage(step)).catch((error) =>
    port.postMessage({ step: 'failed', error: String(error?.stack ?? error) }),
  );
  event.waitUntil?.(work); // a service worker is ended when it seems to have nothing to do
}

addEventListener('message', start);
addEventListener('connect', ({ ports: [port] }) => {
  port.onmessage = start;
});
