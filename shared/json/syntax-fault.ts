// Finds the place of the first fault in a JSON text that the engine has refused: its own messages differ by version and name
// no place at the end of the text.

/** A fault of the text; `offset` counts bytes. */
export interface SyntaxFault {
  readonly offset: number;
  readonly code: string;
  readonly message: string;
}

/** Line and column, counted from 1; a column is a character. */
export function placeOf(bytes: Uint8Array, offset: number): { readonly line: number; readonly column: number } {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(offset, bytes.length)).toString('utf8');
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** @returns undefined if the text is JSON without a repeated key */
export function syntaxFaultOf(bytes: Uint8Array): SyntaxFault | undefined {
  const scanner = new Scanner(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  try {
    scanner.document();
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.fault;
    throw error;
  }
}

class Found extends Error {
  readonly fault: SyntaxFault;

  constructor(fault: SyntaxFault) {
    super(fault.message);
    this.fault = fault;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Recursive descent; the strict parser has bounded the depth before. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#take(SPACE);
    if (this.#at < this.#text.length) this.#fail('nothing may follow the value');
  }

  #value(): void {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === '{') this.#object();
    else if (next === '[') this.#array();
    else if (next === '"') this.#string();
    else if (!this.#take(WORD) && !this.#take(NUMBER)) this.#fail('a value is expected');
  }

  #object(): void {
    const keys = new Set<string>();
    this.#at++;
    this.#take(SPACE);
    if (this.#skip('}')) return;
    do {
      this.#take(SPACE);
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail('a name in double quotes is expected');
      this.#string();
      const key = String(JSON.parse(this.#text.slice(start, this.#at)));
      if (keys.has(key)) this.#found(start, 'repeated', 'An object in the body repeats a key');
      keys.add(key);
      this.#take(SPACE);
      if (!this.#skip(':')) this.#fail('a colon is expected');
      this.#value();
      this.#take(SPACE);
    } while (this.#skip(','));
    if (!this.#skip('}')) this.#fail('a comma or a closing brace is expected');
  }

  #array(): void {
    this.#at++;
    this.#take(SPACE);
    if (this.#skip(']')) return;
    do {
      this.#value();
      this.#take(SPACE);
    } while (this.#skip(','));
    if (!this.#skip(']')) this.#fail('a comma or a closing bracket is expected');
  }

  #string(): void {
    const text = this.#text;
    for (this.#at++; this.#at < text.length; this.#at++) {
      const next = text[this.#at] ?? '';
      if (next === '"') {
        this.#at++;
        return;
      }
      if (next < ' ') this.#fail('a control character must be escaped');
      if (next !== '\\') continue;
      if (!this.#take(ESCAPE)) this.#fail('the escape is unknown');
      this.#at--;
    }
    this.#fail('the string does not end');
  }

  #skip(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #fail(what: string, at = this.#at): never {
    const ended = at >= this.#text.length ? 'the text ends early, ' : '';
    this.#found(at, 'syntax', `The body is not valid JSON: ${ended}${what}`);
  }

  #found(at: number, code: string, message: string): never {
    throw new Found({ offset: Buffer.byteLength(this.#text.slice(0, at)), code, message });
  }
}
