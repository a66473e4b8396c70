// A broker, aedes, with a responder inside: asked on rpc/<client>, it answers on res/<client>.
import { Aedes } from 'aedes';
import { createWebSocketStream } from 'ws';
import { startGateway } from '../lib/track.mjs';

const ASKED = 'rpc/';

export async function start({ port, methods }) {
  const broker = await Aedes.createBroker({ maxClientsIdLength: 64 });
  const respond = (packet, done) => {
    done();
    const { id, method, params } = JSON.parse(packet.payload);
    const topic = `res/${packet.topic.slice(ASKED.length)}`;
    methods.handle(method, params, (result) => {
      const payload = JSON.stringify({ id, result });
      broker.publish({ cmd: 'publish', qos: 0, retain: false, topic, payload }, () => {});
    });
  };
  await new Promise((resolve) => broker.subscribe(`${ASKED}+`, respond, resolve));
  const gateway = await startGateway(port, (socket, request) => {
    const stream = createWebSocketStream(socket);
    stream.on('error', () => {});
    broker.handle(stream, request);
  });
  const kill = () => {
    const cut = gateway.kill();
    broker.close();
    return cut;
  };
  return { ...gateway, kill };
}
