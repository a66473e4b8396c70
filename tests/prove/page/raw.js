// A WebSocket that redials by hand: the next gateway at once when one is lost, a round, then 250 ms, 500, 1000 … to 5000.
// What was in flight is rejected; what is asked while nothing is open waits. It knows nothing of completion, limits,
// logs or steadiness: the least that a page could do by itself.

export class RawClient {
  #urls;
  #next = 0;
  #failed = 0;
  #socket;
  #last = 0;
  #pending = new Map();
  #waiting = [];

  constructor(urls) {
    this.#urls = urls;
    this.#dial();
  }

  request(method, params) {
    return new Promise((resolve, reject) => {
      this.#last += 1;
      const frame = JSON.stringify({ jsonrpc: '2.0', id: this.#last, method, params });
      const request = { id: this.#last, frame, resolve, reject };
      if (this.#socket.readyState === WebSocket.OPEN) this.#send(request);
      else this.#waiting.push(request);
    });
  }

  #send(request) {
    this.#pending.set(request.id, request);
    this.#socket.send(request.frame);
  }

  #dial() {
    const socket = new WebSocket(this.#urls[this.#next++ % this.#urls.length]);
    this.#socket = socket;
    socket.onopen = () => {
      this.#failed = 0;
      for (const request of this.#waiting.splice(0)) this.#send(request);
    };
    socket.onmessage = ({ data }) => {
      const { id, result, error } = JSON.parse(data);
      const request = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) request?.resolve(result);
      else request?.reject(error);
    };
    socket.onclose = () => {
      for (const { reject } of this.#pending.values()) reject(new Error('lost'));
      this.#pending.clear();
      this.#failed += 1;
      const round = Math.floor(this.#failed / this.#urls.length);
      if (this.#failed % this.#urls.length !== 0) this.#dial();
      else setTimeout(() => this.#dial(), Math.min(250 * 2 ** (round - 1), 5000));
    };
  }
}
