// A client that is connected, over a socket that does what a test says.

import { echoing, fakeSockets } from './fake_ws.mjs';
import { ready } from './installed.mjs';

/** A connected client, its socket, and the events of rubbish. */
export async function connected(script = {}, more = {}) {
  const { ClusterClient } = await ready();
  const fake = fakeSockets({ made: echoing.made, ...script });
  const client = new ClusterClient({
    gateways: ['ws://a.example', 'ws://b.example'],
    logger: null,
    WebSocket: fake.WebSocket,
    ...more,
  });
  const rubbish = [];
  const notifications = [];
  client.addEventListener('protocolerror', ({ detail }) => rubbish.push(detail.reason));
  client.addEventListener('notification', ({ detail }) => notifications.push(detail));
  await client.connect();
  return { client, fake, socket: fake.last, rubbish, notifications };
}
