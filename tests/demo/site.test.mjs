import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Lifetime } from './lifetime.mjs';
import { startSite } from './site.mjs';

const life = new Lifetime();
/** @type {string} */
let site;

/** Asks for a path as it stands, without the corrections that `fetch` makes. */
function get(path, headers = {}, method = 'GET') {
  return new Promise((resolve, reject) => {
    const { port } = new URL(site);
    const request = http.request({ host: '127.0.0.1', port, path, headers, method }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, type: response.headers['content-type'], text });
    });
    request.on('error', reject).end();
  });
}

before(async () => {
  const folder = life.temporaryFolder('regate-site-test');
  mkdirSync(join(folder, 'www/parts'), { recursive: true });
  writeFileSync(join(folder, 'www/index.html'), '<p>hello');
  writeFileSync(join(folder, 'www/parts/a.wasm'), 'a');
  writeFileSync(join(folder, 'secret'), 'secret');
  const echo = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(202).end(JSON.stringify([request.method, request.url, body]));
  });
  await new Promise((resolve) => echo.listen(0, '127.0.0.1', () => resolve(undefined)));
  life.defer(() => echo.close());
  const control = `http://127.0.0.1:${echo.address().port}`;
  site = await startSite(life, { folders: { '/': join(folder, 'www') }, control });
});
after(() => life.end());

test('serves the files of its folders, with their types', async () => {
  const page = await get('/?unattended');
  assert.deepEqual([page.status, page.type, page.text], [200, 'text/html; charset=utf-8', '<p>hello']);
  assert.equal((await get('/parts/a.wasm')).type, 'application/wasm');
  assert.equal((await get('/parts/')).status, 404);
  assert.equal((await get('/', {}, 'DELETE')).status, 405);
});

test('serves nothing outside of them', async () => {
  for (const path of ['/../secret', '/%2e%2e/secret', '/parts/../../secret', '/parts/..%2f..%2fsecret']) {
    assert.equal((await get(path)).status, 404, path);
  }
});

test('hands the control on', async () => {
  const { status, text } = await get('/control/gateways/0/kill', {}, 'POST');
  assert.deepEqual([status, JSON.parse(text)], [202, ['POST', '/gateways/0/kill', '']]);
});

test('answers no page of another origin, nor another name for this address', async () => {
  const { host } = new URL(site);
  assert.equal((await get('/control/stats', { Origin: `http://${host}` })).status, 202);
  assert.equal((await get('/control/stats', { Origin: 'http://evil.example' })).status, 403);
  assert.equal((await get('/control/stats', { Host: 'evil.example' })).status, 403);
});
