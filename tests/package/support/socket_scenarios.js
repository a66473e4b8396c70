// What a page does with a class of sockets, and all that it sees: run with the platform's and with ours.

const text = (data) => (typeof data === 'string' ? `${data.length}:${data.slice(0, 40)}` : data);

async function shown(data) {
  if (typeof data === 'string') return text(data);
  const bytes = new Uint8Array(data instanceof Blob ? await data.arrayBuffer() : data);
  return `${data.constructor.name} ${[...bytes].join()}`;
}

/** The name of what a call throws, or what it gives. */
function outcome(call) {
  try {
    const given = call();
    return given === undefined ? 'done' : String(given);
  } catch (error) {
    return `${error.constructor.name} ${error.name}`;
  }
}

/** Writes down every event of a socket, with the state that it finds. */
function watch(socket, seen) {
  for (const type of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(type, (event) => {
      const { bubbles, cancelable, eventPhase } = event;
      const isOurs = event.target === socket && event.currentTarget === socket;
      const row = [type, event.constructor.name, socket.readyState, bubbles, cancelable, eventPhase, isOurs];
      if (type === 'close') row.push(event.code, event.reason, event.wasClean);
      if (type === 'message') row.push(event.origin, event.lastEventId, event.ports.length, event.source);
      seen.push(row.join(' '));
    });
  }
  return socket;
}

const once = (socket, type) =>
  new Promise((resolve) => socket.addEventListener(type, resolve, { once: true }));

/** Sends, and tells what comes back. */
async function echoed(socket, data) {
  const answer = once(socket, 'message');
  socket.send(data);
  return shown((await answer).data);
}

async function opened(make, path, seen, ...more) {
  const socket = watch(make(path, ...more), seen);
  await once(socket, 'open');
  return socket;
}

const NAMES = ['CONNECTING', 'OPEN', 'CLOSING', 'CLOSED'];
const ATTRIBUTES = ['readyState', 'bufferedAmount', 'extensions', 'protocol', 'url', 'binaryType'];
ATTRIBUTES.push('onopen', 'onmessage', 'onerror', 'onclose');

export const scenarios = {
  async constants(make, seen, Class) {
    const socket = make('/echo');
    for (const owner of [Class, socket]) {
      for (const name of NAMES) {
        seen.push(`${name} ${owner[name]} ${outcome(() => Reflect.set(owner, name, 7))} ${owner[name]}`);
      }
    }
    for (const name of ATTRIBUTES) seen.push(`${name} ${socket[name]}`);
    for (const name of ['readyState', 'bufferedAmount', 'extensions', 'protocol', 'url'])
      seen.push(`${name} ${Reflect.set(socket, name, 'x')} ${socket[name]}`);
    seen.push(
      socket instanceof EventTarget,
      socket instanceof Class,
      outcome(() => Class('ws://x')),
    );
    await once(socket, 'open');
    for (const name of ATTRIBUTES) seen.push(`${name} ${socket[name]}`);
    socket.close();
    await once(socket, 'close');
    for (const name of ATTRIBUTES) seen.push(`${name} ${socket[name]}`);
  },

  async texts(make, seen) {
    const socket = await opened(make, '/echo', seen);
    const odd = { toString: () => 'an object' };
    for (const data of [
      '',
      'a',
      'ä€😀',
      '\ud800 alone',
      'x'.repeat(200_000),
      5,
      null,
      undefined,
      true,
      [1, 2],
      odd,
    ])
      seen.push(await echoed(socket, data));
    seen.push(
      outcome(() => socket.send(Symbol('s'))),
      outcome(() => socket.send()),
    );
    seen.push(
      outcome(() =>
        socket.send({
          toString: () => {
            throw new RangeError('no');
          },
        }),
      ),
    );
    seen.push(await echoed(socket, 'still'), socket.bufferedAmount);
    socket.close();
    await once(socket, 'close');
  },

  async bytes(make, seen) {
    const socket = await opened(make, '/echo', seen);
    const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const given = [bytes, bytes.buffer, bytes.subarray(2, 5), new DataView(bytes.buffer, 1, 2)];
    given.push(new Uint16Array(bytes.buffer, 2, 1), new Blob([bytes, 'x']), new Uint8Array(0), new Blob([]));
    for (const type of ['blob', 'arraybuffer', 'nonsense', 'BLOB', 'blob']) {
      socket.binaryType = type;
      seen.push(socket.binaryType);
      for (const data of given) seen.push(await echoed(socket, data));
    }
    const held = Uint8Array.of(1);
    const answer = once(socket, 'message');
    socket.send(held);
    held[0] = 9; // what is sent is what it was
    seen.push(await shown((await answer).data));
    socket.close();
    await once(socket, 'close');
  },

  async 'binary type set before open, for a server that speaks first'(make, seen) {
    for (const type of ['blob', 'arraybuffer']) {
      const socket = watch(make('/greet'), seen);
      socket.binaryType = type;
      seen.push(await shown((await once(socket, 'message')).data));
      socket.close();
      await once(socket, 'close');
    }
  },

  async 'send in every state'(make, seen) {
    const socket = watch(make('/echo'), seen);
    for (const data of ['x', new Uint8Array(4), new Blob(['y'])])
      seen.push(
        outcome(() => socket.send(data)),
        socket.bufferedAmount,
      );
    await once(socket, 'open');
    socket.close();
    for (const state of ['closing', 'closed']) {
      const before = socket.bufferedAmount;
      seen.push(`${state} ${socket.readyState} ${outcome(() => socket.send('four'))}`);
      seen.push(socket.bufferedAmount >= before + 4);
      const middle = socket.bufferedAmount;
      seen.push(
        outcome(() => socket.send(new Uint8Array(8))),
        socket.bufferedAmount >= middle + 8,
      );
      if (state === 'closing') await once(socket, 'close');
    }
  },

  async 'close with codes and reasons'(make, seen) {
    const reason = (letters, letter) => letter.repeat(letters);
    const given = [
      [],
      [1000],
      [3000, 'three'],
      [4999, 'ä€'],
      [1000, reason(123, 'a')],
      [4000, reason(61, 'é')],
    ];
    given.push(
      ['1000'],
      [1000.4],
      [2999.5, 'rounded'],
      [3000, null],
      [3000, 5],
      [undefined],
      [3000, '\ud800'],
    );
    given.push([1000, '']);
    for (const args of given) {
      const socket = await opened(make, '/echo', seen);
      seen.push(`${args.join()}: ${outcome(() => socket.close(...args))} ${socket.readyState}`);
      seen.push(
        outcome(() => socket.close(4000, 'again')),
        socket.readyState,
      );
      await once(socket, 'close');
      seen.push(
        outcome(() => socket.close()),
        socket.readyState,
      );
    }
  },

  async 'close with what is wrong'(make, seen) {
    const socket = await opened(make, '/echo', seen);
    const given = [
      [1001],
      [2999],
      [5000],
      [0],
      [-1],
      [1006],
      [65_535],
      [70_000],
      [null],
      [Number.NaN],
      ['x'],
      [{}],
    ];
    given.push([1000, 'é'.repeat(62)], [3000, 'a'.repeat(124)], [undefined, 'a'], [1001, 'a'.repeat(124)]);
    for (const args of given)
      seen.push(`${args.join().slice(0, 20)}: ${outcome(() => socket.close(...args))} ${socket.readyState}`);
    seen.push(await echoed(socket, 'still open'));
    socket.close();
    for (const args of [[1001], [5000], [3000, 'a'.repeat(124)]])
      seen.push(outcome(() => socket.close(...args)));
    await once(socket, 'close');
    for (const args of [[1001], [5000], [3000, 'a'.repeat(124)]])
      seen.push(outcome(() => socket.close(...args)));
  },

  async 'close before open'(make, seen) {
    const connecting = make('/echo');
    seen.push(
      outcome(() => connecting.close(1001)),
      connecting.readyState,
    );
    connecting.close();
    for (const args of [[], [3000, 'why'], [1000]]) {
      const socket = watch(make('/echo'), seen);
      socket.close(...args);
      seen.push(
        socket.readyState,
        outcome(() => socket.close()),
        outcome(() => socket.send('x')),
      );
      await once(socket, 'close');
      seen.push(socket.readyState);
    }
  },

  async 'close while the handshake hangs'(make, seen) {
    const socket = watch(make('/hang'), seen);
    await new Promise((resolve) => setTimeout(resolve, 100));
    seen.push(socket.readyState);
    socket.close(4000, 'enough');
    await once(socket, 'close');
  },

  async 'the server closes'(make, seen) {
    for (const order of [
      'close',
      'close 1000',
      'close 1001 going away',
      'close 1011 ä',
      'close 4000 bye',
      'close 4403',
    ]) {
      const socket = await opened(make, '/echo', seen);
      socket.send(`please ${order}`);
      await once(socket, 'close');
      seen.push(`${order}: ${socket.readyState}`);
    }
  },

  async 'the line fails'(make, seen) {
    for (const order of ['cut', 'reset', 'rubbish']) {
      const socket = await opened(make, '/echo', seen);
      seen.push(order);
      socket.send(`please ${order}`);
      await once(socket, 'close');
      seen.push(socket.readyState);
    }
  },

  async 'messages, then the end, in order'(make, seen) {
    const socket = await opened(make, '/echo', seen);
    socket.binaryType = 'arraybuffer';
    for (const data of ['one', Uint8Array.of(2), 'three', 'please close 4001 done']) socket.send(data);
    await once(socket, 'close');
  },

  async 'the gateway refuses'(make, seen) {
    const socket = watch(make('/refuse'), seen);
    await once(socket, 'close');
    seen.push(
      socket.readyState,
      outcome(() => socket.send('x')),
    );
  },

  async 'URLs and protocols that are wrong'(make, seen, Class) {
    const urls = [
      '',
      'no',
      'ftp://x',
      'ws://x/#a',
      'ws://x/#',
      'ws://',
      'ws://x y',
      'mailto:a',
      'ws://x:99999',
    ];
    for (const url of urls) {
      const made = outcome(() => typeof new Class(url).close());
      // A page has an address to which a part of one is relative.
      seen.push(`${url}: ${made}`);
    }
    seen.push(outcome(() => new Class()));
    const protocols = [
      '',
      'a b',
      'ä',
      ['a', 'a'],
      ['a', 'A'],
      ['a', ''],
      [''],
      'a,b',
      [null, null],
      { a: 1 },
    ];
    for (const given of protocols)
      seen.push(`${JSON.stringify(given)}: ${outcome(() => make('/echo', given).close())}`);
    seen.push(outcome(() => make('/echo', Symbol('s'))));
  },

  async 'URLs as they are shown'(make, seen, Class) {
    const { port } = new URL(make('/').url);
    for (const url of [
      `http://127.0.0.1:${port}/a?b`,
      `WS://127.0.0.1:${port}`,
      `ws://127.0.0.1:${port}/ä b`,
      '/path',
      'x?y',
    ]) {
      const socket = new Class(url);
      seen.push(socket.url.replace(/:\d+\//, ':port/'));
      socket.close();
    }
    const socket = new Class(new URL(`ws://127.0.0.1:${port}/object`));
    seen.push(socket.url.replace(port, 'port'));
    socket.close();
  },

  async 'sub-protocols'(make, seen) {
    for (const given of [undefined, [], 'first', ['first'], ['first', 'second'], new Set(['a', 'b']), 5]) {
      const socket = watch(make('/echo', given), seen);
      await once(socket, 'open');
      seen.push(`${String(given)}: ${socket.protocol}`);
      socket.close();
      await once(socket, 'close');
      seen.push(socket.protocol);
    }
  },

  async 'listeners of every kind'(make, seen) {
    const socket = make('/echo');
    await once(socket, 'open');
    const said = (name) =>
      function said(event) {
        seen.push(`${name} ${event.data} ${this === socket}`);
      };
    const twice = said('twice');
    const object = { handleEvent: () => seen.push('handleEvent') };
    const aborted = new AbortController();
    socket.addEventListener('message', said('first'));
    socket.addEventListener('message', said('once'), { once: true });
    socket.addEventListener('message', twice);
    socket.addEventListener('message', twice);
    socket.addEventListener('message', twice, true);
    socket.onmessage = said('attribute');
    socket.addEventListener('message', object);
    socket.addEventListener('message', said('with a signal'), { signal: aborted.signal });
    const later = said('removed in dispatch');
    socket.addEventListener('message', () => socket.removeEventListener('message', later));
    socket.addEventListener('message', later);
    socket.addEventListener('message', null);
    seen.push(await echoed(socket, '1'));
    socket.onmessage = said('another attribute'); // in the place of the first
    aborted.abort();
    object.handleEvent = () => seen.push('another handleEvent');
    seen.push(await echoed(socket, '2'));
    socket.onmessage = null;
    socket.removeEventListener('message', twice);
    seen.push(await echoed(socket, '3'));
    socket.onmessage = said('at the end');
    seen.push(typeof socket.onmessage, await echoed(socket, '4'));
    for (const value of [5, 'text', undefined, {}, Symbol('s')]) {
      socket.onmessage = value;
      seen.push(`${typeof value}: ${typeof socket.onmessage} ${socket.onmessage === value}`);
    }
    socket.onmessage = said('stopped');
    const stopped = new Promise((resolve) => {
      const stop = (event) => {
        event.stopImmediatePropagation();
        setTimeout(resolve, 20);
      };
      socket.addEventListener('message', stop, true);
    });
    socket.send('5');
    await stopped;
    socket.close();
    await once(socket, 'close');
  },

  async 'listeners that throw'(make, seen) {
    const socket = make('/echo');
    await once(socket, 'open');
    const reported = [];
    const keep = (event) => {
      reported.push(event.message);
      event.preventDefault();
    };
    addEventListener('error', keep);
    socket.onmessage = () => {
      throw new Error('from the attribute');
    };
    socket.addEventListener('message', {
      handleEvent() {
        throw new Error('from the object');
      },
    });
    socket.addEventListener('message', () => seen.push('the last one hears it'));
    seen.push(await echoed(socket, 'x'), ...reported);
    removeEventListener('error', keep);
    socket.close();
    await once(socket, 'close');
  },

  async 'events that the page makes itself'(make, seen) {
    const socket = make('/echo');
    socket.onclose = ({ type }) => seen.push(`${type} ${socket.readyState}`);
    await once(socket, 'open');
    seen.push(socket.dispatchEvent(new Event('close')), socket.readyState, await echoed(socket, 'x'));
    socket.close();
    await once(socket, 'close');
  },
};

/** Runs one with a class; `make` makes its sockets. */
export async function run(name, Class, base, more) {
  const seen = [];
  const make = (path, protocols) => new Class(`${base}${path}`, protocols, ...more);
  await scenarios[name](make, seen, Class);
  return seen.map(String);
}
