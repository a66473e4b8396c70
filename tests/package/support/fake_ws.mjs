// Sockets that do what a test says, when it says so.

/** What a test may make a socket do by itself: called when it is made, sent on, closed. */
const nothing = { made() {}, sent() {}, closing() {} };

/** A class with the interface of WebSocket, and every socket that was made of it. */
export function fakeSockets(script = {}) {
  const behaviour = { ...nothing, ...script };
  /** @type {any[]} */
  const sockets = [];

  class FakeWebSocket {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    readyState = 0;
    binaryType = 'blob';
    bufferedAmount = 0;
    protocol = '';
    onopen = null;
    onmessage = null;
    onerror = null;
    onclose = null;
    /** Frames as they came. */
    sent = [];
    /** The arguments of each close(). */
    closes = [];

    #listeners = [];

    constructor(...args) {
      this.args = args;
      this.url = args[0];
      sockets.push(this);
      behaviour.made(this);
    }

    send(frame) {
      if (this.readyState === 0) throw new DOMException('not open yet', 'InvalidStateError');
      this.sent.push(frame);
      behaviour.sent(this, frame);
    }

    close(...args) {
      this.closes.push(args);
      if (this.readyState < 2) this.readyState = 2;
      behaviour.closing(this);
    }

    /** The frames as objects. */
    get requests() {
      return this.sent.map((frame) => JSON.parse(frame));
    }

    addEventListener(type, listener) {
      this.#listeners.push({ type, listener });
    }

    emit(type, fields = {}) {
      const event = { type, target: this, ...fields };
      for (const known of this.#listeners) if (known.type === type) known.listener(event);
      this[`on${type}`]?.(event);
    }

    open() {
      this.readyState = 1;
      this.emit('open');
    }

    message(data) {
      this.emit('message', {
        data: typeof data === 'string' || isBinary(data) ? data : JSON.stringify(data),
      });
    }

    answer(frame, result = null) {
      this.message({ jsonrpc: '2.0', id: JSON.parse(frame).id, result });
    }

    /** The connection is gone. */
    drop(code = 1006, reason = '') {
      this.readyState = 3;
      this.emit('close', { code, reason, wasClean: code !== 1006 });
    }

    fail() {
      this.readyState = 3;
      this.emit('error');
      this.emit('close', { code: 1006, reason: '', wasClean: false });
    }
  }

  return {
    WebSocket: FakeWebSocket,
    sockets,
    get last() {
      return sockets.at(-1);
    },
  };
}

const isBinary = (data) => data instanceof ArrayBuffer || ArrayBuffer.isView(data);

/** A script of sockets that open a microtask later and echo the params of every request. */
export const echoing = {
  made: (socket) => queueMicrotask(() => socket.readyState === 0 && socket.open()),
  sent: (socket, frame) =>
    queueMicrotask(() => {
      const { id, params } = JSON.parse(frame);
      if (id !== undefined) socket.message({ jsonrpc: '2.0', id, result: params ?? null });
    }),
};
