// What a run shows while it goes on: lines, and one bar below them where the terminal can redraw it.

const BAR_CELLS = 24;
const PLAIN_PROGRESS_MILLISECONDS = 5000;
const CLEAR_LINE = '\r\u001b[2K';

export class Terminal {
  #stream;
  #canRedraw;
  #bar = '';
  #lastPlain = performance.now();

  /** @param {NodeJS.WriteStream} [stream] */
  constructor(stream = process.stdout) {
    this.#stream = stream;
    this.#canRedraw = stream.isTTY === true && process.env.TERM !== 'dumb';
  }

  /** @param {string} [text] */
  line(text = '') {
    this.#stream.write(this.#canRedraw ? `${CLEAR_LINE}${text}\n${this.#bar}` : `${text}\n`);
  }

  /**
   * @param {number} fraction of the whole run, 0..=1
   * @param {string} text
   */
  progress(fraction, text) {
    const part = Math.min(1, Math.max(0, fraction));
    const percent = `${Math.round(part * 100)} %`.padStart(5);
    if (this.#canRedraw) {
      const full = Math.round(part * BAR_CELLS);
      const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}]${percent}  ${text}`;
      this.#bar = bar.slice(0, (this.#stream.columns ?? 80) - 1);
      this.#stream.write(`${CLEAR_LINE}${this.#bar}`);
    } else if (performance.now() - this.#lastPlain >= PLAIN_PROGRESS_MILLISECONDS) {
      this.#lastPlain = performance.now();
      this.line(`${percent}  ${text}`);
    }
  }

  /** Takes the bar away. */
  endProgress() {
    this.#bar = '';
    if (this.#canRedraw) this.#stream.write(CLEAR_LINE);
  }
}
