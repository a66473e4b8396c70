// A client inside a request, seen from inside workerd.
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { ClusterClient, connect, init } from 'regate';
import module from 'regate/regate_bg.wasm';
import { afterEach, describe, expect, test } from 'vitest';
import { gateways, heal, openConnections } from './control.js';

afterEach(heal);

test('the wasm is a compiled module, and init takes it', async () => {
  expect(module).toBeInstanceOf(WebAssembly.Module);
  await init(module);
  await init();
});

describe.each(['websocket', 'fetch'])('%s', (transport) => {
  const make = (more) => connect({ gateways, transport, logger: null, ...more });

  test('ctx.waitUntil(client.closed) holds the request until the client is closed', async () => {
    const ctx = createExecutionContext();
    const client = await make();
    ctx.waitUntil(client.closed);
    let isOver = false;
    const over = waitOnExecutionContext(ctx).then(() => {
      isOver = true;
    });
    expect(await client.invoke('echo', ['a'], { readOnly: true })).toEqual(['a']);
    expect(isOver).toBe(false);
    const last = client.invoke('slow', [50]);
    expect(await client.drain()).toBe('closed');
    expect(await last).toBe(true);
    await over;
    expect(await openConnections(0)).toBe(0);
  });

  test('setGateways moves a client, and subscriptions go with it', async () => {
    const networking = { shuffleAddresses: false, steadyMilliseconds: 0 };
    const client = await make({ networking });
    const heard = [];
    client.subscribe('topic.subscribe', ['news'], (value) => heard.push(value));
    await client.invoke('echo', []);
    expect(client.gateway).toBe(`${gateways[0]}`);
    client.setGateways([gateways[2]]);
    client.reconnect();
    await client.connect();
    expect(client.gateway).toBe(`${gateways[2]}`);
    await client.invoke('topic.publish', ['news', 1]);
    await expect.poll(() => heard).toEqual([1]);
    client.close();
    expect(await client.closed).toBe('closed');
  });

  test('a client that is closed before it was dialled leaves nothing', async () => {
    await init();
    const client = new ClusterClient({ gateways, transport, logger: null });
    const connecting = client.connect();
    client.close();
    await expect(connecting).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(client.stats().dials).toBe(0);
  });
});
