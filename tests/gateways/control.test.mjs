import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { startCluster } from './cluster.mjs';
import { startControl } from './control.mjs';
import { PlainClient } from './plain_client.mjs';

const ORIGIN = 'http://127.0.0.1:1';
/** @type {import('./cluster.mjs').Cluster} */
let cluster;
/** @type {Awaited<ReturnType<typeof startControl>>} */
let control;

before(async () => {
  cluster = await startCluster({ count: 2 });
  control = await startControl(cluster, { origin: ORIGIN });
});
after(async () => {
  await control.stop();
  await cluster.stop();
});

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, body: any, headers: Headers }>}
 */
async function post(path, body, headers) {
  const response = await fetch(control.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** @type {(path: string) => Promise<any>} */
const get = async (path) => (await fetch(control.url + path)).json();

test('faults by HTTP, as the page has them', async () => {
  const gateways = await get('/gateways');
  assert.deepEqual(gateways[1], { name: 'gateway 1', url: cluster.urls[1], up: true });
  const client = await PlainClient.open(gateways[1].url);
  assert.deepEqual((await post('/gateways/1/kill')).body, { connections: 1 });
  assert.equal((await client.end()).code, 1006);
  assert.equal((await get('/stats')).gateways[1].up, false);
  assert.equal((await post('/gateways/1/hang')).status, 500);
  assert.equal((await post('/gateways/1/restart')).status, 200);
  assert.equal((await post('/gateways/0/closeAtOnce', [4001, 'go', { times: 1 }])).body, null);
  assert.deepEqual((await post('/gateways/0/state')).body, { listening: true, faults: ['closeAtOnce'] });
  assert.deepEqual(await (await PlainClient.open(cluster.urls[0])).end(), { code: 4001, reason: 'go' });
  assert.equal((await post('/gateways/all/heal')).body.length, 2);
});

test('the journal and its audit', async () => {
  const client = await PlainClient.open(cluster.urls[0]);
  await client.result('queue.offer', [{ id: 'by http', item: 1 }]);
  assert.equal((await get('/journal')).at(-1).id, 'by http');
  const { body } = await post('/journal/audit', [
    { id: 'by http', kind: 'write', outcome: 'error', completion: 'no', handedToSocket: 1 },
  ]);
  assert.deepEqual([body.clean, body.findings.saidNoButExecuted.ids], [false, ['by http']]);
  await client.close();
});

test('only the given page may send, and only to this host', async () => {
  const preflight = await fetch(`${control.url}/stats`, { method: 'OPTIONS', headers: { Origin: ORIGIN } });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), ORIGIN);
  const allowed = await post('/gateways/0/heal', [], { Origin: ORIGIN, 'Content-Type': 'application/json' });
  assert.equal(allowed.status, 200);
  assert.equal(allowed.headers.get('Access-Control-Allow-Origin'), ORIGIN);
  const starts = cluster.gateways[0].starts;
  const strange = await post('/gateways/0/restart', [], { Origin: 'http://evil.example' });
  assert.equal(strange.status, 403);
  assert.equal(strange.headers.get('Access-Control-Allow-Origin'), null);
  const status = await new Promise((resolve) => {
    const headers = { Host: 'evil.example' };
    http.get(`${control.url}/stats`, { headers }, (response) => resolve(response.resume().statusCode));
  });
  assert.equal(status, 403);
  assert.equal(cluster.gateways[0].starts, starts);
});

test('wrong requests', async () => {
  assert.equal((await post('/gateways/7/kill')).status, 404);
  assert.equal((await post('/gateways/0/constructor')).status, 404);
  assert.equal((await post('/gateways/0/end')).status, 404);
  assert.equal((await post('/nothing')).status, 404);
  assert.equal((await post('/gateways/0/heal', { not: 'an array' })).status, 400);
  assert.match((await post('/gateways/0/rejectUpgrade', [7])).body.error, /wrong status 7/);
  assert.match((await post('/journal/audit', [{}])).body.error, /not an outcome/);
});
