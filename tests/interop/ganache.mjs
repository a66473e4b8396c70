// A ClusterClient against two ganache nodes: its eth_subscribe goes on after every kill.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { killAgainAndAgain, live, Server, until } from './server.mjs';

const HOLD_MILLISECONDS = 300;
const cli = join(dirname(createRequire(import.meta.url).resolve('ganache/package.json')), 'dist/node/cli.js');

export async function proveGanache({ life, ports, ClusterClient, lines, kills, progress }) {
  const nodes = [];
  for (const name of ['ganache a', 'ganache b']) {
    const port = await ports.reserve();
    const flags = ['--server.host', '127.0.0.1', '--server.port', String(port), '--logging.quiet'];
    nodes.push(new Server(name, port, [process.execPath, cli, ...flags, '--wallet.totalAccounts', '1']));
  }
  for (const node of nodes) life.defer(() => node.kill());
  await Promise.all(nodes.map((node) => node.start()));

  const client = new ClusterClient({ gateways: nodes.map(({ url }) => url), ...lines.options });
  life.defer(() => client.close());
  let connects = 0;
  client.addEventListener('statechange', ({ detail }) => {
    if (detail.to === 'connected') connects += 1;
  });
  const heads = [];
  const troubles = [];
  const subscription = client.subscribe('eth_subscribe', ['newHeads'], (head, { resumed }) =>
    heads.push({ number: Number(head.number), resumed }),
  );
  subscription.closed?.catch?.((error) => troubles.push(error));
  await client.connect();

  let mined = 0;
  const ready = async (kill) => {
    await until(() => connects >= kill, `connect ${kill}`);
    const before = heads.length;
    // Whether its answer is lost with a gateway does not matter: a block more is a block more.
    await client.invoke('evm_mine', [], { redoOperations: true });
    mined += 1;
    await until(() => heads.length > before, `a head after kill ${kill - 1}`);
    if (heads.at(-1).resumed !== kill - 1)
      troubles.push(`resumed ${heads.at(-1).resumed} after kill ${kill - 1}`);
    const since = performance.now();
    await until(() => performance.now() - since > HOLD_MILLISECONDS, 'the connection is steady');
  };
  const struck = await killAgainAndAgain(nodes, { kills, ready, progress });
  const [atNodes, open] = [live(nodes), lines.open()];
  const { attempts, failedMaybe, failedNo } = client.stats();
  client.close();
  await until(() => live(nodes) === 0, 'the connection ends');
  return {
    numbers:
      `${kills} kills, ${struck} took the connection; eth_subscribe newHeads resumed ${heads.at(-1)?.resumed} times, ` +
      `${heads.length} heads of ${mined} mined; ${attempts} requests, ${failedMaybe + failedNo} failed; ` +
      `${lines.made()} dials; live at the end: ${open} socket, ${atNodes} at the nodes; ${troubles.length} errors`,
    passed:
      struck === kills &&
      heads.length >= mined &&
      heads.at(-1)?.resumed === kills &&
      failedMaybe + failedNo === 0 &&
      open === 1 &&
      atNodes === 1 &&
      troubles.length === 0,
  };
}
