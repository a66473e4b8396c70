// GatewaySocket over sockets that do what a test says: its life, and that of its class. Its events are in the trace test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from './support/clock.mjs';
import { reports } from './support/reports.mjs';
import { A, B, exact, opening, refusing, watch, world } from './support/socket_world.mjs';

test('it goes round until a gateway opens, and says nothing of dials that fail', async (t) => {
  const { clock, fake, open, dialled } = await world(t);
  const { socket, seen } = await open('ws://ignored.example');
  fake.last.fail();
  fake.last.fail();
  await clock.advance(249);
  assert.equal(dialled(), 'ab');
  await clock.advance(1);
  assert.equal(dialled(), 'aba');
  assert.deepEqual([seen, socket.readyState], [[], 0]);
  fake.last.open();
  assert.deepEqual(seen, ['open in 1']);
  socket.send('text');
  fake.last.message('back');
  assert.deepEqual(fake.last.sent, ['text']);
  fake.last.drop(4000, 'bye');
  await clock.advance(600_000);
  assert.deepEqual(seen, ['open in 1', 'message back in 1', 'close 4000 in 3']);
  assert.equal(dialled(), 'aba', 'it is CLOSED for good');
});

test('of two dials side by side the first to open is the line, whichever it is', async (t) => {
  const networking = { dialStaggerMilliseconds: 300 };
  for (const winner of [0, 1]) {
    const { clock, fake, open } = await world(t, { networking });
    const before = fake.sockets.length;
    const { socket, seen } = await open();
    await clock.advance(300);
    const [first, second] = fake.sockets.slice(before);
    const [line, other] = winner === 0 ? [first, second] : [second, first];
    line.open();
    socket.send('text');
    line.message('back');
    assert.deepEqual([line.sent, other.closes], [['text'], [[1000]]]);
    other.readyState = 1; // too late
    other.emit('open');
    line.drop(4000);
    assert.deepEqual(seen, ['open in 1', 'message back in 1', 'close 4000 in 3']);
    assert.equal(other.closes.length, 2);
  }
});

test('the next socket goes on with the next gateway, and the lost one is last', async (t) => {
  const { clock, fake, open, dialled } = await world(t, { gateways: [A, B, 'ws://c.example'] });
  await open();
  fake.last.open();
  await clock.advance(6000);
  fake.last.drop();
  await open();
  assert.equal(dialled(), 'ab');
  fake.last.fail();
  fake.last.fail();
  assert.equal(dialled(), 'abca');
});

test('a library that opens the next one in the close handler is held to the schedule', async (t) => {
  const { Over, clock, fake } = await world(t, { gateways: [A], script: opening });
  let alive = 0;
  let most = 0;
  const again = () => {
    const socket = new Over();
    socket.onopen = () => {
      alive += 1;
      most = Math.max(most, alive);
      fake.last.drop(1006);
    };
    socket.onclose = () => {
      alive -= 1;
      again();
    };
  };
  again();
  await clock.advance(60_000);
  assert.equal(most, 1);
  assert.ok(fake.sockets.length > 10 && fake.sockets.length < 20, `${fake.sockets.length} dials in a minute`);
});

test('a socket that is closed when its work is done is followed by one to the same gateway, at once', async (t) => {
  const done = [[], [1000], [1000, 'done'], [undefined, undefined]];
  for (const reconnect of [false, true]) {
    const { clock, fake, open, dialled } = await world(t, { reconnect, script: opening });
    const began = clock.now;
    for (let number = 0; number < 20; number += 1) {
      const { socket, seen } = await open();
      await clock.advance(0); // no time, but what is due
      assert.deepEqual(seen, ['open in 1'], `socket ${number}`);
      socket.close(...done[number % done.length]);
    }
    assert.deepEqual([dialled(), clock.now - began], ['a'.repeat(20), 0]);
    fake.last.drop(1005);
  }
});

test('a code of its own, a dial that is left, and a line that the gateway closes count as failures', async (t) => {
  const ways = {
    'a code of its own': ({ socket }) => socket.close(3000),
    'a line that is closing': ({ socket, line }) => {
      line.readyState = 2;
      socket.close();
    },
    'a line that erred': ({ socket, line }) => {
      line.emit('error');
      socket.close();
    },
  };
  for (const [name, leave] of Object.entries(ways)) {
    const { fake, open, dialled } = await world(t, { script: opening });
    const { socket } = await open();
    leave({ socket, line: fake.last });
    await open();
    assert.equal(dialled(), 'ab', name);
  }
  const { open, dialled } = await world(t);
  (await open()).socket.close(1000);
  await open();
  assert.equal(dialled(), 'ab', 'a dial');
});

test('after a socket whose work is done, a gateway that died is left by the round', async (t) => {
  let dead = false;
  const made = (socket) =>
    queueMicrotask(() =>
      dead && socket.url === A ? socket.fail() : socket.readyState === 0 && socket.open(),
    );
  const { open, dialled } = await world(t, { script: { made } });
  (await open()).socket.close();
  dead = true;
  const { seen } = await open();
  await settle();
  assert.deepEqual([dialled(), seen], ['aab', ['open in 1']]);
});

test('a wait that is owed is honoured, less what has passed of it', async (t) => {
  const { clock, fake, open } = await world(t, { gateways: [A] });
  await open();
  fake.last.open();
  fake.last.drop(1006); // at once: a failure of the only gateway, so 250 ms are owed
  await clock.advance(100);
  await open();
  await clock.advance(149);
  assert.equal(fake.sockets.length, 1);
  await clock.advance(1);
  assert.equal(fake.sockets.length, 2);
});

test('several sockets at once each have a way of their own', async (t) => {
  const { clock, fake, open, dialled } = await world(t, { script: opening });
  const [first, second] = [await open(), await open()];
  assert.deepEqual([first.seen, second.seen], [['open in 1'], ['open in 1']]);
  assert.equal(dialled(), 'aa');
  await clock.advance(6000);
  fake.sockets[0].drop(1006);
  assert.deepEqual([first.seen.at(-1), second.socket.readyState], ['close 1006 in 3', 1]);
  second.socket.send('still here');
  assert.deepEqual(fake.sockets[1].sent, ['still here']);
  await open();
  assert.equal(dialled(), 'aab', 'the third goes on where the first one stopped');
});

test('close() while CONNECTING: error, then close 1006, and no socket is left', async (t) => {
  const { clock, fake, open } = await world(t);
  const { socket, seen } = await open();
  assert.equal(fake.sockets.length, 1);
  socket.close(3000, 'never mind');
  assert.equal(socket.readyState, 2);
  assert.equal(fake.last.readyState, 2, 'its dial is let go');
  fake.last.open(); // late
  await clock.advance(600_000);
  assert.deepEqual(seen, ['error in 3', 'close 1006 in 3']);
  assert.deepEqual([fake.sockets.length, clock.running], [1, 0]);
});

test('close() in the turn of the constructor dials nothing', async (t) => {
  const { Over, clock, fake } = await world(t);
  const socket = new Over();
  const seen = watch(socket);
  socket.close();
  await clock.advance(1000);
  assert.deepEqual(seen, ['error in 3', 'close 1006 in 3']);
  assert.equal(fake.sockets.length, 0);
  assert.equal(clock.running, 0);
});

test('close() hands code and reason to the gateway, and reports what it answers', async (t) => {
  const { clock, fake, open, dialled } = await world(t, { script: opening });
  const { socket, seen } = await open();
  socket.close(4001, 'done');
  socket.close(4002, 'again');
  assert.deepEqual(fake.last.closes[0], [4001, 'done']);
  fake.last.message('too late');
  assert.deepEqual([socket.readyState, seen], [2, ['open in 1']]);
  // The library wants the next one at once, though the last one is not closed yet.
  const next = await open();
  assert.equal(dialled(), 'ab');
  fake.sockets[0].drop(4001, 'done');
  await clock.advance(0);
  assert.deepEqual(seen, ['open in 1', 'close 4001 in 3']);
  assert.deepEqual(next.seen, ['open in 1']);
});

test('a line that cannot be closed from here ends with error and 1006', async (t) => {
  const closing = () => {
    throw new Error('on behalf of a different request');
  };
  const { clock, open } = await world(t, { script: { ...opening, closing } });
  const { socket, seen } = await open();
  socket.close(4001, 'done');
  assert.equal(socket.readyState, 2);
  await clock.advance(0);
  assert.deepEqual(seen, ['open in 1', 'error in 3', 'close 1006 in 3']);
});

test('an error without a close is error and close 1006', async (t) => {
  const { clock, fake, open } = await world(t, { script: opening });
  const { socket, seen } = await open();
  socket.onclose = ({ code, reason, wasClean }) => seen.push([code, reason, wasClean].join());
  fake.last.emit('error');
  await clock.advance(0);
  assert.deepEqual(seen, ['open in 1', 'error in 3', 'close 1006 in 3', '1006,,false']);
});

test('giving up is error, with the RegateError, then close 1006; asking again waits the last wait', async (t) => {
  const networking = { ...exact.networking, connectTimeouts: '100:300:100' };
  const { clock, fake, open } = await world(t, { gateways: [A], script: refusing, networking });
  const { socket, seen } = await open();
  let error;
  socket.onerror = (event) => {
    error = event.error;
  };
  await clock.advance(300);
  assert.deepEqual(seen, ['error CONNECT_TIMEOUT in 3', 'close 1006 in 3']);
  assert.equal(error.failures[0].closeCode, 1006);
  assert.ok(!`${error.message}${JSON.stringify(error.failures)}`.includes('secret'));
  assert.equal(fake.sockets.length, 3);
  await open();
  await clock.advance(199);
  assert.equal(fake.sockets.length, 3);
  await clock.advance(1);
  assert.equal(fake.sockets.length, 4);
});

test('no gateway left: NO_GATEWAY, and who asks again and again is slow', async (t) => {
  const made = (socket) => queueMicrotask(() => socket.drop(4404));
  const { Over, clock, fake } = await world(t, { script: { made } });
  const codes = new Set();
  const again = () => {
    const socket = new Over();
    socket.onerror = ({ error }) => codes.add(error.code);
    socket.onclose = again;
  };
  again();
  await clock.advance(60_000);
  assert.deepEqual([...codes], ['NO_GATEWAY']);
  assert.ok(fake.sockets.length <= 40, `${fake.sockets.length} dials of two gateways in a minute`);
});

test('a wait of 7 s that closePolicy wants is owed to the next socket', async (t) => {
  const asked = [];
  const closePolicy = (failure) => {
    asked.push(failure);
    return { verdict: 'same', waitMilliseconds: 7000 };
  };
  const { clock, fake, open, dialled } = await world(t, { closePolicy });
  const { seen } = await open();
  fake.last.open();
  await clock.advance(6000);
  fake.last.drop(4429, 'slower');
  assert.deepEqual(
    asked.map(({ code, reason, gateway }) => [code, reason, gateway]),
    [[4429, 'slower', 'ws://a.example [0]']],
  );
  assert.deepEqual(seen.at(-1), 'close 4429 in 3');
  await open();
  await clock.advance(6999);
  assert.equal(dialled(), 'a');
  await clock.advance(1);
  assert.equal(dialled(), 'aa');
});

test('reconnect: one object that comes back, with its binary type, until it is closed', async (t) => {
  const { clock, fake, open, dialled } = await world(t, { reconnect: true, script: opening });
  const { socket, seen } = await open();
  socket.binaryType = 'arraybuffer';
  await clock.advance(6000);
  fake.last.drop(1012, 'restart');
  await clock.advance(0);
  assert.equal(dialled(), 'ab');
  fake.last.message(new ArrayBuffer(2));
  assert.deepEqual(seen, ['open in 1', 'close 1012 in 0', 'open in 1', 'message [object ArrayBuffer] in 1']);
  await clock.advance(6000);
  fake.last.fail();
  await clock.advance(0);
  assert.deepEqual(seen.slice(4), ['error in 0', 'close 1006 in 0', 'open in 1']);
  assert.equal(socket.binaryType, 'arraybuffer');
  assert.throws(() => {
    fake.last.drop(1006);
    socket.send('not now');
  }, /InvalidStateError/);
  await clock.advance(0);
  socket.close();
  fake.last.drop(1005);
  await clock.advance(600_000);
  assert.deepEqual(seen.slice(-2), ['open in 1', 'close 1005 in 3']);
  assert.equal(clock.running, 0);
});

test('reconnect: closing in the close handler is the end', async (t) => {
  const { clock, fake, open } = await world(t, { reconnect: true, script: opening });
  const { socket, seen } = await open();
  socket.onclose = () => socket.close();
  fake.last.drop(1006);
  await clock.advance(600_000);
  assert.deepEqual(seen, ['open in 1', 'close 1006 in 0', 'error in 3', 'close 1006 in 3']);
  assert.equal(fake.sockets.filter(({ readyState }) => readyState < 2).length, 0);
});

test('reconnect: where the schedule is spent it is closed for good', async (t) => {
  const networking = { ...exact.networking, reconnect: 'schedule', connectTimeouts: '100:300:100' };
  const { clock, fake, open } = await world(t, { reconnect: true, networking });
  const { socket, seen } = await open();
  fake.last.open();
  await clock.advance(6000);
  fake.last.drop(1006);
  for (let dials = 2; dials <= fake.sockets.length; dials += 1) {
    fake.last.fail();
    await clock.advance(300);
  }
  assert.deepEqual(seen, ['open in 1', 'close 1006 in 0', 'error CONNECT_TIMEOUT in 3', 'close 1006 in 3']);
  assert.equal(socket.readyState, 3);
});

test('without buffer a send before open throws, with it the frame goes out first at open', async (t) => {
  const { GatewaySocket, Over, fake } = await world(t, { buffer: true, script: opening });
  const Plain = GatewaySocket.over([A], { ...exact, WebSocket: fake.WebSocket });
  assert.throws(() => new Plain().send('x'), { name: 'InvalidStateError' });
  const socket = new Over();
  const bytes = Uint8Array.of(1, 2, 3);
  socket.onopen = () => socket.send('at open');
  for (const data of ['early', bytes.subarray(1), new Blob(['blob'])]) socket.send(data);
  assert.equal(socket.bufferedAmount, 5 + 2 + 4);
  bytes.fill(9); // what is sent is what it was
  await settle();
  const [early, view, blob, last] = fake.last.sent;
  assert.deepEqual([early, [...new Uint8Array(view)], blob.size, last], ['early', [2, 3], 4, 'at open']);
  assert.equal(socket.bufferedAmount, 0);
});

test('a frame that the platform does not take is reported, and open and the others go on', async (t) => {
  const reported = reports(t);
  const sent = (_, frame) => {
    if (frame instanceof Blob) throw new TypeError('no Blob');
  };
  const { Over, fake } = await world(t, { buffer: true, script: { ...opening, sent } });
  const socket = new Over();
  const seen = watch(socket);
  for (const data of ['one', new Blob(['blob']), 'two']) socket.send(data);
  await settle();
  assert.deepEqual(seen, ['open in 1']);
  assert.deepEqual([fake.last.sent[0], fake.last.sent[2], socket.bufferedAmount], ['one', 'two', 4]);
  assert.deepEqual(reported, ['no Blob']);
});

test('where a WebSocket sends no Blob, send says so in every state', async (t) => {
  globalThis.WebSocketPair = class {}; // as in Workers
  t.after(() => delete globalThis.WebSocketPair);
  const { clock, fake, open } = await world(t, { buffer: true });
  const { socket } = await open();
  const refuses = () =>
    assert.throws(() => socket.send(new Blob(['x'])), { name: 'TypeError', message: /arrayBuffer/ });
  refuses();
  socket.send('x');
  fake.last.open();
  refuses();
  socket.close();
  refuses();
  await clock.advance(0);
  assert.deepEqual([fake.last.sent, socket.bufferedAmount], [['x'], 0]);
});

test('what is buffered is bounded, and dropped where there is no open', async (t) => {
  const limits = { maxBufferedBytes: 10, maxPendingOperations: 3 };
  const { Over, clock, fake } = await world(t, { buffer: true, limits });
  const socket = new Over();
  socket.send('ä'.repeat(4));
  assert.throws(() => socket.send('xyz'), { code: 'OVERLOADED' });
  socket.send('xy');
  socket.send('');
  assert.throws(() => socket.send(''), { code: 'OVERLOADED' });
  socket.close();
  await clock.advance(0);
  socket.send('more');
  assert.equal(socket.bufferedAmount, 14, 'as W3C says, it grows and is never sent');
  assert.equal(fake.sockets.length, 0);
});

test('buffer and reconnect: what is sent while away goes out when it is back', async (t) => {
  const { clock, fake, open } = await world(t, { buffer: true, reconnect: true, script: opening });
  const { socket } = await open();
  fake.last.readyState = 2; // the platform knows, and says so later
  socket.send('one');
  fake.last.drop(1006);
  socket.send('two');
  await clock.advance(1000);
  assert.deepEqual(fake.last.sent, ['one', 'two']);
});

test('send on a closed socket is dropped in silence, and counted', async (t) => {
  const { clock, fake, open } = await world(t, { script: opening });
  const { socket } = await open();
  fake.last.drop(1000);
  for (const data of ['four', new Uint8Array(4), new Blob(['four'])])
    assert.equal(socket.send(data), undefined);
  assert.equal(socket.bufferedAmount, 12);
  assert.deepEqual(fake.last.sent, []);
  await clock.advance(0);
});

test('a line that is not open takes nothing, and counts as lost when no close follows', async (t) => {
  const { clock, fake, open } = await world(t, { script: opening });
  const { socket, seen } = await open();
  fake.last.readyState = 3; // workerd, after the server's close
  socket.send('lost');
  assert.deepEqual([fake.last.sent, socket.bufferedAmount], [[], 4]);
  await clock.advance(7279);
  assert.deepEqual(seen, ['open in 1']);
  await clock.advance(1);
  assert.deepEqual(seen, ['open in 1', 'close 1006 in 3']);
});

test('one outage is a handful of lines, whoever asks for its sockets', async (t) => {
  const lines = [];
  const log = (text) => lines.push(text);
  const logger = { error: log, info: log, warn: log };
  const { Over, clock } = await world(t, { logger, script: refusing });
  const again = () => {
    new Over().onclose = again;
  };
  again();
  await clock.advance(600_000);
  assert.ok(lines.length >= 10 && lines.length <= 12, lines.join('\n'));
  assert.ok(!lines.join().includes('secret'));
});
