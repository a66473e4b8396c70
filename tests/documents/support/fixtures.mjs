// What examples need beside themselves to run, by the names that comments before their blocks give.

/**
 * @typedef {object} Fixture
 * @property {string} [by] the test that runs it, where blocks.test.mjs does not
 * @property {Record<string, string>} [modules] stand-ins for libraries of others, by name
 * @property {(world: { cluster: object, line: (text: string, times?: number) => Promise<void> }) => Promise<void>} [after]
 * what must come after it; `line` waits for one that it prints
 */

/** A library that takes a class of sockets, as small as that can be: `make interop` has the real ones. */
const library = (name) => `
function ${name}(url, { createWebsocket, webSocketImpl } = url) {
  const socket = createWebsocket?.(url, ['p']) ?? new webSocketImpl(url.url, 'p');
  socket.onopen = () => console.log('${name}: open at', socket.gateway.replace(/[ab](?=\\.example)/, '?'));
}`;

/** @type {Record<string, Fixture>} */
export const fixtures = {
  plain: {},
  /** A socket that asks for an echo, prints what comes, and says when it is open or lost. */
  echo: {
    async after({ cluster, line }) {
      await line('sent before it was open');
      const { gateways } = await cluster.stats();
      await cluster.gateways[gateways.findIndex(({ open }) => open > 0)].kill();
      await line('lost');
      await line('open', 2);
    },
  },
  gateway: { by: 'tests/documents/gateway.test.mjs' },
  libraries: {
    modules: {
      'graphql-ws': `export ${library('createClient').trim()}`,
      mqtt: `${library('connect')}\nexport default { connect };`,
    },
    async after({ line }) {
      await line('connect: open at wss://?.example/mqtt');
      await line('createClient: open at wss://?.example/graphql');
    },
  },
  worker: { by: 'tests/worker/documents.test.mjs' },
  'worker-types': { by: 'tests/worker/documents.test.mjs' },
};
