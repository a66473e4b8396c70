// A lane for each gateway: its connections and dials over the last minute, what was done to it, and the buttons to do it.

import { begin } from './canvas.js';
import { Ring } from './ring.js';

const SPAN_MILLISECONDS = 60_000;
const FAULTS = [
  { text: 'Kill', action: 'kill' },
  { text: 'Start', action: 'restart', title: 'Start it again; kills it first when it runs' },
  { text: 'Hang', action: 'hang', title: 'Accept TCP, never answer the handshake' },
  { text: 'Stall', action: 'stall', title: 'Half-open: reads and answers nothing' },
  { text: 'Refuse', action: 'refuse', title: 'Close the port; live connections stay' },
  { text: '503', action: 'rejectUpgrade', args: [503], title: 'Answer the handshake with HTTP 503' },
  { text: 'Close 1012', action: 'closeAll', args: [1012, 'restarting'], title: 'Close its connections' },
  { text: 'Reset', action: 'dropAll', args: ['reset'], title: 'Reset its TCP connections' },
  { text: 'Late', action: 'answerLate', args: [400], title: 'Answer 400 ms late' },
  { text: 'Heal', action: 'heal', title: 'End all faults' },
];

/** The lanes and their buttons. */
export class Gateways {
  #lanes;
  #live;

  constructor(list, gateways, live) {
    this.#live = live;
    const template = document.getElementById('lane');
    this.#lanes = gateways.map(({ url }, index) => {
      const item = template.content.firstElementChild.cloneNode(true);
      const lane = {
        canvas: item.querySelector('canvas'),
        status: item.querySelector('.status'),
        port: new URL(url).port,
        buttons: new Map(),
        faults: new Ring(50),
        text: 'up',
      };
      item.querySelector('strong').textContent = `gateway ${index}`;
      const group = item.querySelector('.buttons');
      group.setAttribute('aria-label', `Faults of gateway ${index}`);
      for (const { text, action, args, title } of FAULTS) {
        const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
        if (title !== undefined) button.title = title;
        button.addEventListener('click', () => this.command(index, action, args));
        lane.buttons.set(action, button);
        group.append(button);
      }
      list.append(item);
      return lane;
    });
  }

  /** Does something to one gateway or to `all`. */
  async command(which, action, args = []) {
    const response = await fetch(`../control/gateways/${which}/${action}`, {
      method: 'POST',
      body: JSON.stringify(args),
    }).catch(() => undefined);
    if (response?.ok === false) {
      const { error } = await response.json();
      if (which !== 'all') this.#lanes[which].status.textContent = error;
    }
    await this.refresh();
  }

  /** Asks what is set on each gateway now. */
  async refresh() {
    try {
      const list = await (await fetch('../control/gateways')).json();
      await Promise.all(list.map((gateway, index) => this.#ask(gateway, this.#lanes[index], index)));
    } catch {
      for (const { status } of this.#lanes) status.textContent = 'no answer from the server';
    }
  }

  async #ask({ up }, lane, index) {
    let set = ['kill'];
    if (up) {
      const response = await fetch(`../control/gateways/${index}/state`, { method: 'POST' });
      if (!response.ok) return; // killed meanwhile
      const { listening, faults } = await response.json();
      set = listening ? faults : ['refuse', ...faults];
    }
    for (const [action, button] of lane.buttons) button.classList.toggle('set', set.includes(action));
    lane.text = set.length === 0 ? 'up' : set.map(nameOf).join(', ');
    lane.status.textContent = `:${lane.port} ${lane.text}`;
    const now = performance.now();
    if (set.length > 0) {
      if (lane.faults.last === undefined || lane.faults.last.to !== null)
        lane.faults.push({ from: now, to: null });
    } else if (lane.faults.last?.to === null) lane.faults.last.to = now;
  }

  draw(now) {
    for (const [index, lane] of this.#lanes.entries())
      this.#drawLane(lane, this.#live.lanes[index], now, index);
  }

  #drawLane({ canvas, faults, text }, spans, now, index) {
    const { context, width, height, color } = begin(canvas);
    const x = (at) => width - ((now - at) / SPAN_MILLISECONDS) * width;
    const middle = Math.round(height / 2);
    context.fillStyle = color('hatch');
    for (const { from, to } of faults.list()) {
      const [left, right] = [Math.max(0, x(from)), x(to ?? now)];
      for (let at = Math.ceil(left / 5) * 5; at < right; at += 5) context.fillRect(at, 2, 2, height - 4);
    }
    context.fillStyle = color('rule');
    context.fillRect(0, middle, width, 1);
    let dials = 0;
    for (const { from, to, kind } of spans.list()) {
      const right = x(to ?? now);
      if (right < 0) continue;
      const left = Math.max(0, x(from));
      const long = Math.max(1, right - left);
      if (kind === 'open') {
        context.fillStyle = color('open');
        context.fillRect(left, middle - 6, long, 13);
      } else {
        dials += 1;
        context.fillStyle = color('wait');
        context.fillRect(left, middle - 2, Math.max(2, long), 5);
        if (kind === 'failed') cross(context, right, middle, color('bad'));
      }
    }
    const told = `gateway ${index}: ${text}; ${dials} dials in the last minute`;
    if (canvas.getAttribute('aria-label') !== told) canvas.setAttribute('aria-label', told);
  }
}

const nameOf = (action) =>
  ({
    kill: 'down',
    refuse: 'refuses',
    hang: 'hangs',
    stall: 'stalled',
    rejectUpgrade: '503',
    answerLate: 'late',
  })[action] ?? action;

function cross(context, x, y, color) {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x - 4, y - 4);
  context.lineTo(x + 4, y + 4);
  context.moveTo(x + 4, y - 4);
  context.lineTo(x - 4, y + 4);
  context.stroke();
}
