import { fromUtf8, joined } from '../text/bytes.js';
import type { EntryReader } from './entry-reader.js';

const LF = 0x0a;
/** No record, row or proof is larger; one that were would be held in memory whole. */
const MAX_LINE_BYTES = 64 * 2 ** 20;
const NOTHING = new Uint8Array(0);

type LineSource = Pick<EntryReader, 'next'>;

/**
 * The lines of an entry, each ended by LF. After `fill` has said true, `take` gives them one by one until it gives
 * undefined; so a million lines cost a wait for each megabyte, not for each line. They are known to be UTF-8, and are made
 * text for who asks.
 */
export class LineReader {
  /** The line that comes next stands from `start` to `end` of `bytes`, where there is one (`ready`). */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;
  /** What follows the last line of `bytes`. */
  #then: Uint8Array = NOTHING;
  #text: string | undefined;
  #rest: Uint8Array = NOTHING;
  #ended = false;
  /** What was wrong with the text, if anything; nothing is read past it. */
  fault: 'ENCODING' | 'UNENDED' | 'TOO_LONG' | undefined;

  /** @param reader undefined for an entry that is not there: no lines. */
  constructor(
    private readonly reader: LineSource | undefined,
    private readonly isUtf8: (bytes: Uint8Array) => boolean,
  ) {}

  /** Whether `take` gives a line now. */
  get ready(): boolean {
    return this.start < this.bytes.length;
  }

  /** The text of `bytes`, unit by byte; undefined where they are not ASCII alone. */
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

  /** On to the next line. */
  skip(): void {
    this.start = this.end + 1;
    if (this.ready) this.end = this.bytes.indexOf(LF, this.start);
    else if (this.#then.length > 0) this.#begin(this.#then, NOTHING);
  }

  /** Whether there are more lines. */
  async fill(): Promise<boolean> {
    if (this.ready) return true;
    while (!this.#ended && this.fault === undefined) {
      if (await this.#read()) return true;
    }
    return false;
  }

  /** The text of the next line, where waiting for each is no matter. */
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

  /** @returns whether that gave lines. */
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
    // The line that began in the piece before stands alone, so that the others need not be copied.
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
