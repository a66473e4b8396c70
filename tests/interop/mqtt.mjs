// MQTT.js over GatewaySocket against two mosquitto brokers: every publish of QoS 1 is acknowledged in the end, and what
// was acknowledged was received by a broker.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { killAgainAndAgain, live, Server, until } from './server.mjs';

const PUBLISH_EVERY_MILLISECONDS = 10;
/** Made before each kill, which comes with the first acknowledgement: so most of them are in flight. */
const BURST = 200;
/** Between two kills: more than the steady time, so that each is the loss of a steady connection. */
const HOLD_MILLISECONDS = 400;
const RECEIVED = /^Received PUBLISH from \S+ \(d\d, q1, r0, m\d+, 'interop\/(\d+)'/;

function broker(life, folder, name, port) {
  const config = join(folder, `${name}.conf`);
  // 2.0.11 takes a broker that listens for WebSockets only for one that listens for nothing: hence the first listener.
  const lines = ['user root', `listener 0 ${join(folder, `${name}.sock`)}`, 'allow_anonymous true'];
  lines.push(`listener ${port} 127.0.0.1`, 'protocol websockets');
  lines.push('log_dest stderr', 'log_type all', 'log_timestamp false', 'persistence false', '');
  writeFileSync(config, lines.join('\n'));
  const server = new Server(name, port, ['mosquitto', '-c', config]);
  life.defer(() => server.kill());
  return server;
}

export async function proveMqtt({ life, ports, GatewaySocket, lines, kills, progress }) {
  const folder = life.temporaryFolder('regate-mqtt');
  const names = ['mosquitto a', 'mosquitto b'];
  const brokers = [];
  for (const name of names) brokers.push(broker(life, folder, name.replace(' ', '-'), await ports.reserve()));
  await Promise.all(brokers.map((server) => server.start()));

  const Gateways = GatewaySocket.over(
    brokers.map(({ url }) => url),
    lines.options,
  );
  const client = mqtt.connect('ws://in.the.list.instead:1', {
    createWebsocket: (url, protocols) => new Gateways(url, protocols),
    forceNativeWebSocket: true,
    reconnectPeriod: 1,
  });
  const errors = [];
  client.on('error', (error) => errors.push(error.message));
  let connects = 0;
  client.on('connect', () => {
    connects += 1;
  });

  let published = 0;
  const acknowledged = new Set();
  let sent = 0;
  client.on('packetsend', ({ cmd }) => {
    if (cmd === 'publish') sent += 1;
  });
  let onAcknowledgement = () => {};
  client.on('packetreceive', ({ cmd }) => {
    if (cmd === 'puback') onAcknowledgement();
  });
  const publish = () => {
    published += 1;
    const number = published;
    client.publish(`interop/${number}`, `${number}`, { qos: 1 }, (error) => {
      if (error) errors.push(error.message);
      else acknowledged.add(number);
    });
  };
  const publishing = setInterval(publish, PUBLISH_EVERY_MILLISECONDS);
  life.defer(() => {
    clearInterval(publishing);
    client.end(true);
  });

  const ready = async (kill) => {
    await until(() => client.connected && connects >= kill, `connect ${kill}`);
    const [since, before] = [performance.now(), acknowledged.size];
    await until(
      () => acknowledged.size > before && performance.now() - since > HOLD_MILLISECONDS,
      'publishes go on',
    );
    const acknowledgement = new Promise((resolve) => {
      onAcknowledgement = resolve;
    });
    for (let count = 0; count < BURST; count += 1) publish();
    await acknowledgement;
  };
  const struck = await killAgainAndAgain(brokers, { kills, ready, progress });
  clearInterval(publishing);
  await until(() => acknowledged.size === published, 'every publish is acknowledged');
  const [atBrokers, open] = [live(brokers), lines.open()];

  // What a broker wrote of a message it wrote before it acknowledged it.
  const everReceived = brokers.flatMap((server) => server.lines.map((line) => RECEIVED.exec(line)?.[1]));
  const received = everReceived.filter((number) => number !== undefined).map(Number);
  const distinct = new Set(received);
  const unheard = [...acknowledged].filter((number) => !distinct.has(number));
  await client.endAsync();
  await until(() => live(brokers) === 0, 'the connection ends');
  return {
    numbers:
      `${kills} kills, ${struck} took the connection; ${published} publishes of QoS 1, ${acknowledged.size} acknowledged, ` +
      `${acknowledged.size - unheard.length} of them in a broker's log, ${sent - published} sent again, ${received.length - distinct.size} received twice; ` +
      `${lines.made()} dials; live at the end: ${open} socket, ${atBrokers} at the brokers; ${errors.length} errors`,
    passed:
      struck === kills &&
      acknowledged.size === published &&
      unheard.length === 0 &&
      sent - published > kills &&
      open === 1 &&
      atBrokers === 1 &&
      errors.length === 0,
  };
}
