import type { ByteWindow } from '../../values/byte-window.js';
import { HEADER_LIMIT } from './header.js';

/** One record of a body: a transmission or a batch record. Offsets count from the start of the body. */
export interface TelecomRecord {
  readonly start: number;
  readonly end: number;
  /** True between STX and ETX (Batch Standard). */
  readonly framed: boolean;
  /** False if its last field may be cut. */
  readonly terminated: boolean;
}

interface RecordSink {
  record(record: TelecomRecord): void;
  /** Called for an overlong record; its bytes are gone. */
  tooLong(start: number, end: number): void;
}

const [STX, ETX] = [2, 3] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: STX and ETX frame the records of a batch
const SIGN = /[\x02\x03]|D0|F6/g;
const WHOLE_REQUEST =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
  /^(?:\d{6}D0|\d{6}(?:\d\d| {2})F6)[A-Z]\d\P{Cc}{10}[1-4]\d\d\P{Cc}{15}\d{8}\P{Cc}{10}(?:[\x1c-\x1e]|AM\d\d)/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const WHOLE_RESPONSE = /^(?:D0|F6)[A-Z]\d[1-4][AR]\d\d\P{Cc}{15}\d{8}(?:[\x1c-\x1e]|AM\d\d)/u;
const ANY_REQUEST = /^\P{Cc}{6}(?:D0|F6|\P{Cc}{2}F6)[A-Z]\d/u;
const ANY_RESPONSE = /^(?:D0|F6)[A-Z]\d\d[A-Z]/;
const LOOKAHEAD = HEADER_LIMIT + 4;
/** The bytes before the version of a request: 101-A1 of F6, of D.0 and of an F6 that lost its padding. */
const BIN_LENGTHS: Readonly<Record<string, readonly number[]>> = { D0: [6], F6: [8, 6] };

/**
 * Splits a body into records while it streams in. A record ends at STX or ETX, or at the next header: a whole header
 * anywhere, a partial one after a line end.
 */
export class RecordSplitter {
  /** Start of the open record or of its frame. */
  #start = 0;
  #framed = false;
  #searchedTo = 0;
  #skippingFrom = -1;
  readonly #window: ByteWindow;
  readonly #sink: RecordSink;
  readonly #limitBytes: number;

  constructor(window: ByteWindow, sink: RecordSink, limitBytes: number) {
    this.#window = window;
    this.#sink = sink;
    this.#limitBytes = limitBytes;
  }

  /** Scans the window; `atEnd` at the end of the body. */
  scan(atEnd: boolean): void {
    const window = this.#window;
    for (;;) {
      this.#skipBlanks();
      const boundary = this.#nextBoundary(atEnd);
      if (boundary === null) break;
      this.#endRecord(boundary, boundary);
    }
    if (atEnd) {
      this.#endRecord(window.end, window.end);
      return;
    }
    if (window.end - this.#start > this.#limitBytes) {
      if (this.#skippingFrom === -1) this.#skippingFrom = this.#start;
      this.#start = Math.max(this.#start, window.end - LOOKAHEAD);
    }
    window.discard(this.#start);
  }

  /** Skips line ends, blanks and byte order marks before a record. */
  #skipBlanks(): void {
    if (this.#skippingFrom !== -1) return;
    const window = this.#window;
    if (this.#start === 0 && window.base === 0 && window.text.startsWith('\xef\xbb\xbf')) this.#start = 3;
    while (this.#start < window.end) {
      const code = window.text.charCodeAt(this.#start - window.base);
      if (code === STX) this.#framed = true;
      else if (code === ETX) this.#framed = false;
      else if (code !== 13 && code !== 10 && code !== 32 && code !== 26 && code !== 9) break;
      this.#start += 1;
    }
  }

  /** Where the open record ends; null if not in the window yet. */
  #nextBoundary(atEnd: boolean): number | null {
    const window = this.#window;
    const { text, base } = window;
    // The record's own header, after a batch's reference number, does not count.
    const own =
      this.#skippingFrom === -1 ? this.#start + (text.startsWith('G1', this.#start - base) ? 21 : 8) : this.#start;
    SIGN.lastIndex = Math.max(own, this.#searchedTo) - base;
    for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
      const at = found.index;
      const before = BIN_LENGTHS[found[0]];
      if (before === undefined) return base + at;
      if (!atEnd && text.length - at < LOOKAHEAD) {
        this.#searchedTo = base + at;
        return null;
      }
      if (this.#begins(at)) return base + at;
      const header = before.find((bytes) => at - bytes + base > this.#start && this.#begins(at - bytes));
      if (header !== undefined) return base + at - header;
    }
    this.#searchedTo = Math.max(own, window.end - 1);
    return null;
  }

  #begins(at: number): boolean {
    const { text } = this.#window;
    const head = text.slice(at, at + LOOKAHEAD);
    if (WHOLE_REQUEST.test(head) || WHOLE_RESPONSE.test(head)) return true;
    const before = text.charCodeAt(at - 1);
    return (before === 10 || before === 13) && (ANY_REQUEST.test(head) || ANY_RESPONSE.test(head));
  }

  #endRecord(at: number, next: number): void {
    const window = this.#window;
    const start = this.#start;
    const framed = this.#framed;
    const mark = window.text.charCodeAt(at - window.base);
    let end = at;
    while (end > start && isLineEnd(window.text.charCodeAt(end - 1 - window.base))) end -= 1;
    this.#start = next;
    this.#searchedTo = next;
    this.#framed = false;
    if (this.#skippingFrom !== -1) {
      this.#sink.tooLong(this.#skippingFrom, end);
      this.#skippingFrom = -1;
    } else if (end > start) {
      const terminated = framed ? mark === ETX : end < at || mark === STX;
      this.#sink.record({ start, end, framed, terminated });
    }
  }
}

/** LF, CR, and DOS's end-of-file mark. */
function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 26;
}
