// Request and response by a pair of topics and an id of our own, QoS 0, which is the default.
import mqtt from 'mqtt';
import { rpc, states } from './_util.js';

export const meta = {
  pkg: 'mqtt',
  server: 'mqtt',
  rpc: 'ours',
  list: 'native',
  reconnects: true,
  timeouts: 'none',
  entry: "export { default } from 'mqtt'",
};

const serverOf = (url) => {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port), protocol: 'ws' };
};

export function connect(urls) {
  const state = states();
  const client = mqtt.connect({ protocol: 'ws', servers: urls.map(serverOf) });
  const { clientId } = client.options;
  const layer = rpc((text) => client.publish(`rpc/${clientId}`, text));
  client.on('message', (_topic, bytes) => layer.receive(new TextDecoder().decode(bytes)));
  client.on('connect', () =>
    client.subscribe(`res/${clientId}`, () =>
      state.set('open', `${client.options.host}:${client.options.port}`),
    ),
  );
  client.on('close', () => {
    layer.rejectAll(new Error('closed'));
    state.set('closed');
  });
  return { request: layer.request, onState: state.onState, close: () => client.end(true) };
}
