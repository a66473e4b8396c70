// Sends the options to a worker, and hears its steps.
import { fail, tell } from './told.js';

/** `open` makes what takes messages: a worker, or the port of one. */
export function startIn(open) {
  globalThis.start = async (options) => {
    try {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => tell(data);
      const worker = await open();
      worker.postMessage({ options }, [port2]);
    } catch (error) {
      fail(error);
    }
  };
}

/** A worker or shared worker that says when it does not load. */
export function watched(worker) {
  worker.addEventListener('error', ({ message }) => fail(message ?? 'the worker did not load'));
  return worker;
}
