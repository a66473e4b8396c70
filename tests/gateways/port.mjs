// A port that the system chose and that stays ours while nobody listens on it.
//
// A killed gateway must come back on the same port, and between the kill and the restart another process could be
// given that port. So the parent keeps a connection whose *local* port it is: the system gives the port to nobody
// else, a dial is still refused (nothing listens), and a gateway may bind it, because Node sets SO_REUSEADDR and the
// holder is not listening.

import { once } from 'node:events';
import net from 'node:net';

const HOST = '127.0.0.1';

/** Holds any number of ports of 127.0.0.1. */
export class Ports {
  #sink = net.createServer((socket) => socket.on('error', () => {}).unref());
  /** @type {net.Socket[]} */
  #holders = [];

  /** Readies the peer of the holding connections. */
  async open() {
    this.#sink.listen(0, HOST);
    await once(this.#sink, 'listening');
    this.#sink.unref();
  }

  /**
   * Reserves one more port.
   *
   * @returns {Promise<number>}
   */
  async reserve() {
    for (let tries = 1; ; tries += 1) {
      const probe = net.createServer().listen(0, HOST);
      await once(probe, 'listening');
      const { port } = /** @type {net.AddressInfo} */ (probe.address());
      probe.close();
      await once(probe, 'close');
      const sink = /** @type {net.AddressInfo} */ (this.#sink.address()).port;
      const holder = net.connect({ port: sink, host: HOST, localAddress: HOST, localPort: port });
      try {
        await once(holder, 'connect');
        holder.on('error', () => {}).unref();
        this.#holders.push(holder);
        return port;
      } catch (error) {
        if (tries === 20) throw error; // somebody was given the port between the probe and the holder
      }
    }
  }

  /** Gives all ports back. */
  close() {
    for (const holder of this.#holders) holder.destroy();
    this.#sink.close();
  }
}
