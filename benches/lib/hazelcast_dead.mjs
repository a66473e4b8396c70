// hazelcast-client, which is for Node only, against a dead port: tells when it dialled, and leaves its log on stdout.
import net from 'node:net';

const [port, seconds] = process.argv.slice(2).map(Number);
const began = Date.now();
const at = [];
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  at.push(Date.now() - began);
  return connect.apply(this, given);
};
const { Client } = (await import('hazelcast-client')).default;
Client.newHazelcastClient({ network: { clusterMembers: [`127.0.0.1:${port}`] } }).catch(() => {});
setTimeout(() => process.send({ at }, () => process.exit(0)), seconds * 1000);
