// Reads options out of JavaScript: an object literal, alone or as the argument of a call. Nothing is run.

const SKIP = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)/y;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`/y;
/** Where options are given; other objects may stand before them. */
const CALL = /\b(?:ClusterClient|connect)\s*\(\s*\{/;
const WORDS = { __proto__: null, true: true, false: false, null: null, undefined };
const DEEPEST = 20;

/** The object that a text of JavaScript holds, or a SyntaxError that names the place. */
export function parseLiteral(text) {
  const call = CALL.exec(text);
  const begin = call === null ? text.indexOf('{') : call.index + call[0].length - 1;
  if (begin === -1) throw new SyntaxError('there is no object in it');
  const reader = new Reader(text, begin);
  return reader.value(0);
}

class Reader {
  constructor(text, at) {
    this.text = text;
    this.at = at;
  }

  value(depth) {
    if (depth > DEEPEST) this.fail('is nested too deeply');
    this.skip();
    if (this.take('{')) return this.object(depth);
    if (this.take('[')) return this.array(depth);
    const string = this.match(STRING);
    if (string !== undefined) return unquote(string);
    const number = this.match(NUMBER);
    if (number !== undefined) return Number(number.replaceAll('_', ''));
    const start = this.at;
    const word = this.match(WORD);
    if (word !== undefined && word in WORDS) return WORDS[word];
    this.at = start;
    return this.fail('is no value that can be read without running it');
  }

  object(depth) {
    const entries = [];
    for (;;) {
      this.skip();
      if (this.take('}')) return Object.fromEntries(entries);
      const quoted = this.match(STRING);
      const key = quoted === undefined ? this.match(WORD) : unquote(quoted);
      if (key === undefined) this.fail('is no name of an option');
      this.skip();
      if (!this.take(':')) this.fail('should be a colon');
      entries.push([key, this.value(depth + 1)]);
      this.skip();
      if (!this.take(',') && this.text[this.at] !== '}') this.fail('should be a comma or }');
    }
  }

  array(depth) {
    const list = [];
    for (;;) {
      this.skip();
      if (this.take(']')) return list;
      list.push(this.value(depth + 1));
      this.skip();
      if (!this.take(',') && this.text[this.at] !== ']') this.fail('should be a comma or ]');
    }
  }

  skip() {
    this.match(SKIP);
  }

  take(character) {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  fail(what) {
    const line = this.text.slice(0, this.at).split('\n').length;
    const shown = this.text.slice(this.at, this.at + 20).split('\n')[0];
    throw new SyntaxError(`line ${line}: ${shown === '' ? 'the end' : `“${shown}”`} ${what}`);
  }
}

const ESCAPES = { __proto__: null, n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b', f: '\f', v: '\v' };

function unquote(text) {
  return text
    .slice(1, -1)
    .replace(/\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (_, ...found) => {
      const [point, four, two, plain] = found;
      const code = point ?? four ?? two;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      return ESCAPES[plain] ?? plain;
    });
}
