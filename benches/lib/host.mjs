// The process of the gateways: told what to do by gateways.mjs, over IPC. Each answer to an act carries its time.
import { makeMethods } from './methods.mjs';

const now = () => performance.timeOrigin + performance.now();
const gateways = new Map();
let made = 0;

const commands = {
  /** A new gateway, or the one with that id again. */
  async start({ kind, options = {}, port = 0, id = ++made }) {
    const methods = gateways.get(id)?.methods ?? makeMethods();
    const { start } = await import(`../servers/${kind}.mjs`);
    const gateway = await start({ ...options, port, methods });
    gateways.set(id, { gateway, methods, cuts: 0 });
    return { id, port: gateway.port, at: now() };
  },
  kill({ id }) {
    const known = gateways.get(id);
    clearInterval(known.timer);
    const at = now();
    return { at, connections: known.gateway.kill() };
  },
  cutEvery({ id, milliseconds }) {
    const known = gateways.get(id);
    known.timer = setInterval(() => {
      known.cuts += known.gateway.cut();
    }, milliseconds);
  },
  stopCuts({ id }) {
    clearInterval(gateways.get(id).timer);
    return { cuts: gateways.get(id).cuts };
  },
  held: ({ id }) => ({ held: gateways.get(id).methods.held() }),
  release: ({ id }) => ({ released: gateways.get(id).methods.release() }),
  executed: ({ id }) => ({ counts: [...gateways.get(id).methods.executed] }),
};

process.on('message', async ({ number, command, given }) => {
  try {
    process.send({ number, result: (await commands[command](given)) ?? null });
  } catch (error) {
    process.send({ number, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit());
// A client that was cut off in the midst of something is no fault of a gateway.
process.on('uncaughtException', ({ message }) => console.error('gateways:', message));
process.on('unhandledRejection', (reason) => console.error('gateways:', reason?.message ?? reason));
