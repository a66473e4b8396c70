// What an application does with the package, the same in every environment: connects, loses its gateway, goes on, closes.
import { connect, init } from 'regate';

/** `tell` is called with each step that has been made; the gateway is killed by whoever is told of `connects`. */
export async function run(options, tell) {
  let began = performance.now();
  const lap = () => performance.now() - began;
  await init();
  tell({ step: 'loads', milliseconds: lap() });

  began = performance.now();
  const client = await connect({ logger: null, ...options });
  const lost = new Promise((resolve) => client.addEventListener('statechange', resolve, { once: true }));
  const [answer] = await client.invoke('echo', ['first'], { readOnly: true });
  tell({ step: 'connects', milliseconds: lap(), gateway: client.gateway, answer });

  const { detail } = await lost;
  began = performance.now();
  const [again] = await client.invoke('echo', ['second'], { readOnly: true });
  tell({ step: 'fails over', milliseconds: lap(), gateway: client.gateway, answer: again, left: detail.to });

  client.close();
  await client.closed;
  tell({ step: 'closes' });
}
