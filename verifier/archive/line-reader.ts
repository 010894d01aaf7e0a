import { fromUtf8, joined } from '../text/bytes.js';
import type { EntryReader } from './entry-reader.js';

const LF = 0x0a;
/** No record, row or proof is larger; one that were would be held in memory whole. */
const MAX_LINE_BYTES = 64 * 2 ** 20;

type LineSource = Pick<EntryReader, 'next'>;

/** Cuts whole lines apart, without their LF; undefined for bytes that are no UTF-8. */
type Split<Line> = (wholeLines: Uint8Array) => Line[] | undefined;

function textLines(wholeLines: Uint8Array): string[] | undefined {
  const lines = fromUtf8(wholeLines)?.split('\n');
  lines?.pop();
  return lines;
}

function byteLines(wholeLines: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < wholeLines.length; ) {
    const end = wholeLines.indexOf(LF, at);
    lines.push(wholeLines.subarray(at, end));
    at = end + 1;
  }
  return lines;
}

/**
 * The lines of an entry, each ended by LF. After `fill` has said true, `take` gives them one by one until it gives
 * undefined; so a million lines cost a wait for each megabyte, not for each line.
 */
export class LineReader<Line = string> {
  #lines: Line[] = [];
  #next = 0;
  #rest: Uint8Array = new Uint8Array(0);
  #ended = false;
  /** What was wrong with the text, if anything; nothing is read past it. */
  fault: 'ENCODING' | 'UNENDED' | 'TOO_LONG' | undefined;

  private constructor(
    private readonly reader: LineSource | undefined,
    private readonly split: Split<Line>,
  ) {}

  /** @param reader undefined for an entry that is not there: no lines. */
  static ofText(reader: LineSource | undefined): LineReader {
    return new LineReader(reader, textLines);
  }

  /** Lines as bytes, where few are ever read as text. */
  static ofBytes(reader: LineSource | undefined, isUtf8: (bytes: Uint8Array) => boolean): LineReader<Uint8Array> {
    return new LineReader(reader, (wholeLines) => (isUtf8(wholeLines) ? byteLines(wholeLines) : undefined));
  }

  /** Whether `take` gives a line now. */
  get ready(): boolean {
    return this.#next < this.#lines.length;
  }

  take(): Line | undefined {
    return this.#lines[this.#next++];
  }

  /** Whether there are more lines. */
  async fill(): Promise<boolean> {
    if (this.ready) return true;
    while (!this.#ended && this.fault === undefined) {
      if (await this.#read()) return true;
    }
    return false;
  }

  /** The next line, where waiting for each is no matter. */
  async line(): Promise<Line | undefined> {
    return (await this.fill()) ? this.take() : undefined;
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
    const lines = this.split(
      this.#rest.length === 0 ? bytes.subarray(0, end) : joined(this.#rest, bytes.subarray(0, end)),
    );
    this.#rest = bytes.slice(end);
    if (lines === undefined) {
      this.fault = 'ENCODING';
      return false;
    }
    this.#lines = lines;
    this.#next = 0;
    return true;
  }
}
