import type { ByteWindow } from '../byte-window.js';
import { requestLength } from './header.js';

/** One record of a body: a transmission, or a record of a batch around them. Offsets are of the body. */
export interface TelecomRecord {
  readonly start: number;
  readonly end: number;
  /** Stands between STX and ETX (Batch Standard). */
  readonly framed: boolean;
  /** False where nothing shows that its last field is whole. */
  readonly terminated: boolean;
}

export interface RecordSink {
  record(record: TelecomRecord): void;
  /** A record longer than may be held; its bytes are gone. */
  tooLong(start: number, end: number): void;
}

const [STX, ETX] = [2, 3] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: STX and ETX frame the records of a batch
const sign = /[\x02\x03]|D0/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const wholeRequest = /^\d{6}D0[A-Z]\d\P{Cc}{10}[1-4]\d\d\P{Cc}{15}\d{8}\P{Cc}{10}(?:[\x1c-\x1e]|AM\d\d)/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const wholeResponse = /^D0[A-Z]\d[1-4][AR]\d\d\P{Cc}{15}\d{8}(?:[\x1c-\x1e]|AM\d\d)/u;
const anyRequest = /^\P{Cc}{6}D0[A-Z]\d/u;
const anyResponse = /^D0[A-Z]\d\d[A-Z]/;
const lookahead = requestLength + 4;

/**
 * Splits a body into records as it streams in. A record ends at STX or ETX, or where the next header begins: a whole one
 * anywhere, any other behind a line end.
 */
export class RecordSplitter {
  /** Where the record in hand begins; its frame, if it has one, is open. */
  private start = 0;
  private framed = false;
  private searchedTo = 0;
  private skippingFrom = -1;
  private readonly window: ByteWindow;
  private readonly sink: RecordSink;
  private readonly limitBytes: number;

  constructor(window: ByteWindow, sink: RecordSink, limitBytes: number) {
    this.window = window;
    this.sink = sink;
    this.limitBytes = limitBytes;
  }

  /** Looks at what the window holds; `atEnd` when the body ended with it. */
  scan(atEnd: boolean): void {
    const { window } = this;
    for (;;) {
      this.skipBlanks();
      const boundary = this.nextBoundary(atEnd);
      if (boundary === null) break;
      this.endRecord(boundary, boundary);
    }
    if (atEnd) {
      this.endRecord(window.end, window.end);
      return;
    }
    if (window.end - this.start > this.limitBytes) {
      if (this.skippingFrom === -1) this.skippingFrom = this.start;
      this.start = Math.max(this.start, window.end - lookahead);
    }
    window.discard(this.start);
  }

  /** Line ends, blanks and a byte order mark before a record are nobody's. */
  private skipBlanks(): void {
    if (this.skippingFrom !== -1) return;
    const { window } = this;
    if (this.start === 0 && window.base === 0 && window.text.startsWith('\xef\xbb\xbf')) this.start = 3;
    while (this.start < window.end) {
      const code = window.text.charCodeAt(this.start - window.base);
      if (code === STX) this.framed = true;
      else if (code === ETX) this.framed = false;
      else if (code !== 13 && code !== 10 && code !== 32 && code !== 26 && code !== 9) break;
      this.start += 1;
    }
  }

  /** Where the record in hand ends; null when that is not in the window yet. */
  private nextBoundary(atEnd: boolean): number | null {
    const { window } = this;
    const { text, base } = window;
    // Its own header, with a reference number of a batch before it, begins no other record.
    const own =
      this.skippingFrom === -1 ? this.start + (text.startsWith('G1', this.start - base) ? 20 : 8) : this.start;
    sign.lastIndex = Math.max(own, this.searchedTo) - base;
    for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
      const at = found.index;
      if (found[0] !== 'D0') return base + at;
      if (!atEnd && text.length - at < lookahead) {
        this.searchedTo = base + at;
        return null;
      }
      if (this.begins(at)) return base + at;
      if (at - 6 + base > this.start && this.begins(at - 6)) return base + at - 6;
    }
    this.searchedTo = Math.max(own, window.end - 1);
    return null;
  }

  private begins(at: number): boolean {
    const { text } = this.window;
    const head = text.slice(at, at + lookahead);
    if (wholeRequest.test(head) || wholeResponse.test(head)) return true;
    const before = text.charCodeAt(at - 1);
    return (before === 10 || before === 13) && (anyRequest.test(head) || anyResponse.test(head));
  }

  private endRecord(at: number, next: number): void {
    const { window, start, framed } = this;
    const mark = window.text.charCodeAt(at - window.base);
    let end = at;
    while (end > start && isLineEnd(window.text.charCodeAt(end - 1 - window.base))) end -= 1;
    this.start = next;
    this.searchedTo = next;
    this.framed = false;
    if (this.skippingFrom !== -1) {
      this.sink.tooLong(this.skippingFrom, end);
      this.skippingFrom = -1;
    } else if (end > start) {
      const terminated = framed ? mark === ETX : end < at || mark === STX;
      this.sink.record({ start, end, framed, terminated });
    }
  }
}

/** LF, CR, and the mark that old systems end a file with. */
function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 26;
}
