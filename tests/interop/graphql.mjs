// graphql-ws over GatewaySocket against two of its own servers: subscriptions go on after every kill, and queries are answered.
import { fileURLToPath } from 'node:url';
import { createClient } from 'graphql-ws';
import { killAgainAndAgain, live, Server, until } from './server.mjs';

const SUBSCRIPTIONS = 3;
const HOLD_MILLISECONDS = 300;
const program = fileURLToPath(new URL('graphql_server.mjs', import.meta.url));

export async function proveGraphql({ life, ports, GatewaySocket, lines, kills, progress }) {
  const servers = [];
  for (const name of ['graphql-a', 'graphql-b']) {
    const port = await ports.reserve();
    servers.push(new Server(name, port, [process.execPath, program, String(port), name]));
  }
  for (const server of servers) life.defer(() => server.kill());
  await Promise.all(servers.map((server) => server.start()));

  const Gateways = GatewaySocket.over(
    servers.map(({ url }) => `${url}/graphql`),
    lines.options,
  );
  let connects = 0;
  const client = createClient({
    url: 'ws://in.the.list.instead/graphql',
    webSocketImpl: Gateways,
    lazy: false,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: async () => {}, // the class waits where there is something to wait for
    on: {
      connected: () => {
        connects += 1;
      },
    },
  });
  life.defer(() => client.dispose());

  const troubles = [];
  const last = new Map();
  let ticks = 0;
  let restarts = 0;
  for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
    const topic = `topic ${index}`;
    const query = 'subscription($topic: String!) { ticks(topic: $topic) { server topic number running } }';
    client.subscribe(
      { query, variables: { topic } },
      {
        next({ data, errors }) {
          if (errors || data.ticks.topic !== topic) troubles.push(errors ?? 'a tick of another topic');
          ticks += 1;
          if (data.ticks.number === 1) restarts += 1;
          last.set(topic, data.ticks);
        },
        error: (error) => troubles.push(error),
        complete: () => troubles.push(`${topic} is complete`),
      },
    );
  }

  const asked = async () => {
    for await (const { data } of client.iterate({ query: '{ name }' })) return data.name;
  };
  let answers = 0;
  const ready = async (kill) => {
    const victim = () => servers.find(({ connections }) => connections > 0)?.name;
    await until(() => connects >= kill, `connect ${kill}`);
    last.clear();
    const flows = () =>
      last.size === SUBSCRIPTIONS && [...last.values()].every(({ server }) => server === victim());
    await until(flows, `ticks of every subscription after kill ${kill - 1}`);
    if ((await asked()) === victim()) answers += 1;
    const since = performance.now();
    await until(() => performance.now() - since > HOLD_MILLISECONDS, 'the connection is steady');
  };
  const struck = await killAgainAndAgain(servers, { kills, ready, progress });
  const running = Math.max(...[...last.values()].map((tick) => tick.running));
  const [atServers, open] = [live(servers), lines.open()];
  await client.dispose();
  await until(() => live(servers) === 0, 'the connection ends');
  const wanted = SUBSCRIPTIONS * (kills + 1);
  const completions = troubles.filter((trouble) => !String(trouble).endsWith('is complete')).length;
  return {
    numbers:
      `${kills} kills, ${struck} took the connection; ${SUBSCRIPTIONS} subscriptions, begun ${restarts} times of ${wanted}, ` +
      `${ticks} messages, ${running} running at the server in the end; ${answers} queries of ${kills + 1} answered; ` +
      `${lines.made()} dials; live at the end: ${open} socket, ${atServers} at the servers; ${completions} errors`,
    passed:
      struck === kills &&
      restarts === wanted &&
      running === SUBSCRIPTIONS &&
      answers === kills + 1 &&
      open === 1 &&
      atServers === 1 &&
      completions === 0,
  };
}
