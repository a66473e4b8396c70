// The Durable Object of the example: one client across requests, through the deaths of gateways and of itself.
import { abortAllDurableObjects, SELF } from 'cloudflare:test';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { act, gateways, heal, openAt, openConnections } from './control.js';

beforeEach(() => abortAllDurableObjects().catch(() => {}));
afterEach(heal);

async function ask(path, method = 'GET', value = undefined) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const response = await SELF.fetch(`https://example.com${path}`, { method, body });
  return [response.status, await response.json()];
}

test('one client serves all requests', async () => {
  expect(await ask('/map/a', 'PUT', { n: 1 })).toMatchObject([200, {}]);
  for (const n of [1, 2, 3]) {
    expect(await ask('/map/a', 'PUT', { n: n + 1 })).toEqual([200, { value: { n } }]);
    expect(await ask('/map/a')).toEqual([200, { value: { n: n + 1 } }]);
  }
  expect(await ask('/status')).toMatchObject([200, { state: 'connected', dials: 1, succeeded: 7 }]);
  expect(await openConnections(1)).toBe(1);
});

test('its gateway is killed: reads of that moment are answered by the next one', async () => {
  await ask('/map/b', 'PUT', 'kept');
  const [, { dials }] = await ask('/status');
  const at = await openAt();
  await act(at, 'stall', { dials: 'hang' }); // reads go out, and no answer comes
  const reads = Array.from({ length: 20 }, () => ask('/map/b'));
  await expect.poll(async () => (await ask('/status'))[1].inFlightOperations).toBe(20);
  await act(at, 'kill');
  for (const read of reads) expect(await read).toEqual([200, { value: 'kept' }]);
  expect(await ask('/status')).toMatchObject([200, { state: 'connected', dials: dials + 1, retries: 20 }]);
  expect(await openConnections(1)).toBe(1);
});

test('a write in flight when its gateway is killed may have been performed', async () => {
  await ask('/map/c', 'PUT', 1);
  const at = await openAt();
  await act(at, 'stall', { dials: 'hang' });
  const write = ask('/map/c', 'PUT', 2);
  await expect.poll(async () => (await ask('/status'))[1].inFlightOperations).toBe(1);
  await act(at, 'kill');
  expect(await write).toMatchObject([504, { code: 'CONNECTION_LOST', completion: 'maybe' }]);
});

test('gateways that refuse say why, and are asked again by the next request', async () => {
  await Promise.all(gateways.map((_, at) => act(at, 'rejectUpgrade', 401)));
  const [status, { code, completion, message }] = await ask('/map/d');
  expect([status, code, completion]).toEqual([503, 'NO_GATEWAY', 'no']);
  expect(message).toContain('refused with HTTP status 401');
  await heal();
  expect(await ask('/map/d')).toEqual([200, { value: null }]);
});

test('an object that was dropped comes back with a client of its own, and leaves no connection', async () => {
  await ask('/map/e', 'PUT', 'here');
  expect(await openConnections(1)).toBe(1);
  await abortAllDurableObjects();
  expect(await ask('/map/e')).toEqual([200, { value: 'here' }]);
  expect(await ask('/status')).toMatchObject([200, { dials: 1 }]);
  expect(await openConnections(1)).toBe(1);
});

test('what is no request of the example is no request of the cluster', async () => {
  for (const [path, method] of [
    ['/', 'GET'],
    ['/map/', 'GET'],
    ['/map/a/b', 'GET'],
    ['/map/a', 'DELETE'],
  ])
    expect((await SELF.fetch(`https://example.com${path}`, { method })).status).toBe(404);
});
