// Serves the page of www/ with the packed package beside it, and the gateways' control under the same origin.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'pkg-config/dist');
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws://127.0.0.1:*; img-src 'self' data:",
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Unpacks what `make package` has made, as npm would install it, so that nothing of the source tree is served.
 *
 * @param {import('./lifetime.mjs').Lifetime} life
 * @returns {{ folder: string, version: string, tarballBytes: number }}
 */
export function unpackPackage(life) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'pkg-config/package.json'), 'utf8'));
  const tarball = join(DIST, `regate-${version}.tgz`);
  const folder = life.temporaryFolder('regate-unpacked');
  const { status, stderr, error } = spawnSync('tar', ['-xzf', tarball, '-C', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${error?.message ?? stderr.trim()}; \`make package\` makes the package`);
  return { folder: join(folder, 'package'), version, tarballBytes: statSync(tarball).size };
}

/**
 * Starts the site on 127.0.0.1; it ends with the lifetime.
 *
 * @param {import('./lifetime.mjs').Lifetime} life
 * @param {{ folders: Record<string, string>, control?: string, port?: number }} options folders by the path they are served under; the URL of the gateways' control
 * @returns {Promise<string>} its URL
 */
export async function startSite(life, { folders, control, port = 0 }) {
  const files = new Map(Object.entries(folders).flatMap(([path, folder]) => filesOf(path, folder)));
  const server = http.createServer(async (request, response) => {
    const at = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    const names = [`127.0.0.1:${at}`, `localhost:${at}`];
    const { host, origin } = request.headers;
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    try {
      // A name that was rebound to this address is another site's page, and so is another origin.
      if (!names.includes(host ?? '') || (origin !== undefined && origin !== `http://${host}`)) {
        response.writeHead(403).end('not from here');
      } else if (control !== undefined && path.startsWith('/control/')) {
        await forward(control + path.slice('/control'.length), request, response);
      } else serve(files.get(path.endsWith('/') ? `${path}index.html` : path), request, response);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(/** @type {Error} */ (error).message);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  life.defer(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

/** The folders of the live page and the package, as `startSite` takes them. */
export function siteFolders(packageFolder) {
  return { '/live/': join(ROOT, 'www/live'), '/regate/': packageFolder };
}

/**
 * @param {string} path
 * @param {string} folder
 * @returns {[string, string][]}
 */
function filesOf(path, folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath ?? entry.path, entry.name);
      return [path + file.slice(folder.length + 1), file];
    });
}

function serve(file, { method }, response) {
  if (file === undefined) return response.writeHead(404, HEADERS).end('no such file');
  if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, HEADERS).end();
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  return response.writeHead(200, { ...HEADERS, 'Content-Type': type }).end(readFileSync(file));
}

async function forward(url, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = request.method === 'POST' ? Buffer.concat(chunks) : undefined;
  const answer = await fetch(url, { method: request.method, body });
  response
    .writeHead(answer.status, { ...HEADERS, 'Content-Type': 'application/json' })
    .end(Buffer.from(await answer.arrayBuffer()));
}
