// Takes connections and never answers the handshake: a gateway that hangs.
import net from 'node:net';
import { listen } from '../lib/track.mjs';

export const start = ({ port }) => listen(net.createServer(), port);
