import { fromUtf8, joined } from '../text/bytes.js';
import type { EntryReader } from './entry-reader.js';

const LF = 0x0a;
/** No record, row or proof is larger. A line is held in memory whole. */
const MAX_LINE_BYTES = 64 * 2 ** 20;
const NOTHING = new Uint8Array(0);

type LineSource = Pick<EntryReader, 'next'>;

/**
 * Reads the lines of an entry; each line ends with LF. After `fill` returns true, `take` returns the lines one by one,
 * then undefined. The caller awaits once per megabyte, not once per line. Lines are valid UTF-8; `takeText` decodes them.
 */
export class LineReader {
  /** If `ready`, the next line is at `start` to `end` of `bytes`. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;
  /** The lines that follow `bytes`. */
  #then: Uint8Array = NOTHING;
  #text: string | undefined;
  #rest: Uint8Array = NOTHING;
  #ended = false;
  /** The first fault of the text; the reader stops at it. */
  fault: 'ENCODING' | 'UNENDED' | 'TOO_LONG' | undefined;

  /** @param reader undefined for a missing entry, which has no lines */
  constructor(
    private readonly reader: LineSource | undefined,
    private readonly isUtf8: (bytes: Uint8Array) => boolean,
  ) {}

  /** True if `take` returns a line now. */
  get ready(): boolean {
    return this.start < this.bytes.length;
  }

  /** The text of `bytes`, one unit per byte; undefined unless all bytes are ASCII. */
  get asciiText(): string | undefined {
    this.#text ??= fromUtf8(this.bytes) ?? '';
    return this.#text.length === this.bytes.length ? this.#text : undefined;
  }

  take(): Uint8Array | undefined {
    if (!this.ready) return undefined;
    const line = this.bytes.subarray(this.start, this.end);
    this.skip();
    return line;
  }

  takeText(): string | undefined {
    const line = this.take();
    return line && fromUtf8(line);
  }

  /** Moves to the next line. */
  skip(): void {
    this.start = this.end + 1;
    if (this.ready) this.end = this.bytes.indexOf(LF, this.start);
    else if (this.#then.length > 0) this.#begin(this.#then, NOTHING);
  }

  /** Returns true if there are more lines. */
  async fill(): Promise<boolean> {
    if (this.ready) return true;
    while (!this.#ended && this.fault === undefined) {
      if (await this.#read()) return true;
    }
    return false;
  }

  /** Returns the text of the next line, for callers that may await each line. */
  async line(): Promise<string | undefined> {
    return (await this.fill()) ? this.takeText() : undefined;
  }

  #begin(bytes: Uint8Array, then: Uint8Array): void {
    this.bytes = bytes;
    this.#then = then;
    this.#text = undefined;
    this.start = 0;
    this.end = bytes.indexOf(LF);
  }

  /** @returns true if the read produced lines */
  async #read(): Promise<boolean> {
    const bytes = await this.reader?.next();
    if (bytes === undefined) {
      this.#ended = true;
      if (this.#rest.length > 0) this.fault = 'UNENDED';
      return false;
    }
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === 0) {
      this.#rest = joined(this.#rest, bytes);
      if (this.#rest.length > MAX_LINE_BYTES) this.fault = 'TOO_LONG';
      return false;
    }
    // Only the line that began in the previous chunk is copied.
    const headEnd = this.#rest.length === 0 ? 0 : bytes.indexOf(LF) + 1;
    const head = headEnd === 0 ? NOTHING : joined(this.#rest, bytes.subarray(0, headEnd));
    const tail = bytes.subarray(headEnd, end);
    this.#rest = bytes.slice(end);
    if (!this.isUtf8(head) || !this.isUtf8(tail)) {
      this.fault = 'ENCODING';
      return false;
    }
    if (head.length > 0) this.#begin(head, tail);
    else this.#begin(tail, NOTHING);
    return true;
  }
}
