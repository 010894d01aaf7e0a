import { isAscii } from 'node:buffer';
import type { Window } from '../../values/part-tracker.js';
import { isUtf16 } from '../../values/payload.js';
import { type CutSegment, Segment, type SegmentSink, type TokenFault, type TokenizerLimits } from './segment.js';
import {
  ASSUMED_SEPARATORS,
  binaryAt,
  findsIsa,
  readIsa,
  type Separators,
  skipBlanks,
  trimmedEnd,
} from './separators.js';

/** Chunks are gathered to this size, so that a body sent byte by byte costs no more. */
const DEFAULT_WINDOW_BYTES = 32 * 1024;
/** Wrong lengths of binary segments, each of which holds up to 16 MiB, before lengths are no longer used. */
const MAX_WRONG_LENGTHS = 8;

/**
 * Splits a body into segments while it streams in. Holds one window: the new bytes and the unfinished segment before
 * them.
 */
export class SegmentTokenizer {
  /** The bytes in memory; `base` is their offset in the body. */
  window: Window = { bytes: Buffer.alloc(0), base: 0 };

  #text = '';
  #at = 0;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #current: Separators | null = null;
  #searchedTo = 0;
  /** Where the ISA just found ends in the window. */
  #isaEnd = -1;
  #skippingFrom = -1;
  #begun = false;
  #seekingIsa = false;
  /** Where text before the first header begins; -1 if none. */
  #leadingFrom = -1;
  #stopped = false;
  #hasNul = false;
  #hasLineEnds = false;
  #nextLineEnd = -1;
  /** The next `ISA` anywhere in the window; -1 if not searched. */
  #nextIsa = -1;
  #ascii = true;
  /** Bytes to gather before the next look, because a binary segment states its length. */
  #wantedBytes = 0;
  #wrongLengths = 0;
  readonly #segment = new Segment();
  readonly #sink: SegmentSink;
  readonly #segmentBytes: number;
  readonly #windowBytes: number;

  constructor(sink: SegmentSink, limits: TokenizerLimits) {
    this.#sink = sink;
    this.#segmentBytes = limits.segmentBytes;
    this.#windowBytes = limits.windowBytes ?? DEFAULT_WINDOW_BYTES;
  }

  push(chunk: Uint8Array): void {
    if (this.#stopped || chunk.length === 0) return;
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= Math.max(this.#windowBytes, this.#wantedBytes)) this.#advance(false);
  }

  finish(): void {
    if (this.#stopped) return;
    this.#advance(true);
    if (this.#stopped) return;
    const bodyEnd = this.window.base + this.#text.length;
    this.#reportLeading('NOT_X12', 'the body does not begin with ISA, GS or ST', this.#leadingFrom + 1);
    const cut = this.#cutSegment(bodyEnd);
    this.#sink.end(bodyEnd, cut !== null && this.#isLastTrailer(cut, this.#text.length) ? null : cut);
  }

  #advance(last: boolean): void {
    this.#sink.roll(this.window.base + this.#at);
    const tail = this.window.bytes.subarray(this.#at);
    const bytes = Buffer.concat([tail, ...this.#gathered]);
    this.window = { bytes, base: this.window.base + this.#at };
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#text = bytes.toString('latin1');
    this.#ascii = isAscii(bytes);
    this.#hasNul = bytes.includes(0);
    this.#hasLineEnds = bytes.includes(10);
    this.#nextLineEnd = -1;
    this.#nextIsa = -1;
    this.#at = 0;
    if (!this.#begun && !this.#refuseEncoding()) this.#begun = true;
    if (!this.#stopped) this.#scan(last);
  }

  #refuseEncoding(): boolean {
    if (!isUtf16(this.window.bytes)) return false;
    this.#stopped = true;
    const message = 'the body is not single-byte text or UTF-8 (UTF-16 or NUL bytes)';
    this.#report('UNSUPPORTED_ENCODING', message, 0, this.#text.length, true);
    return true;
  }

  #scan(last: boolean): void {
    while (!this.#stopped) {
      if (this.#skippingFrom !== -1 && !this.#finishSkipping(last)) return;
      const start = skipBlanks(this.#text, this.#at);
      if (start >= this.#text.length) return;
      if (this.#seekingIsa) {
        if (!this.#seekIsa(start, last)) return;
        continue;
      }
      if (this.#current === null || this.#looksLikeIsa(start)) {
        const ready = this.#readSeparators(start, last);
        if (ready === 'wait') return;
        if (ready === 'again') continue;
      }
      if (!this.#takeSegment(start, last)) return;
    }
  }

  /** Passes on the segment at `start`; false if its terminator has not arrived. */
  #takeSegment(start: number, last: boolean): boolean {
    const separators = this.#current;
    if (separators === null) return false;
    const binary = this.#takeBinary(start, separators, last);
    if (binary !== 'none') return binary === 'taken';
    const end =
      this.#isaEnd === -1
        ? this.#text.indexOf(separators.segment, Math.max(start, this.#searchedTo - this.window.base))
        : this.#isaEnd;
    const isHeader = this.#isaEnd !== -1;
    this.#isaEnd = -1;
    const inside = isHeader ? -1 : this.#isaInside(start + 1, end, last);
    if (inside === 'wait') return false;
    if (inside !== -1) {
      this.#interrupt(start, inside);
      return true;
    }
    if (end === -1) {
      this.#searchedTo = this.window.base + this.#text.length;
      if (this.#text.length - start > this.#segmentBytes) {
        this.#skippingFrom = this.window.base + start;
        this.#at = this.#text.length;
      }
      return false;
    }
    this.#at = end + 1;
    // Two terminators in a row enclose nothing and do not count.
    if (end === start) return true;
    const byteOffset = this.window.base + start;
    const endOffset = this.window.base + end + 1;
    const wrapped = this.#hasLineEnds && this.#holdsLineEnd(start, end);
    if (end - start > this.#segmentBytes) this.#reportTooLong(byteOffset, endOffset);
    else if (this.#hasNul && this.#text.slice(start, end).includes('\0')) {
      this.#report('NUL_IN_SEGMENT', 'the segment contains NUL bytes', byteOffset, endOffset, false);
    } else if (wrapped && this.#lostTerminator(start, end, separators.element)) {
      const message = 'another segment begins on a line inside this one: a terminator is missing';
      this.#report('TERMINATOR_LOST', message, byteOffset, endOffset, false);
    } else {
      const segment = this.#segment;
      segment.load(this.#text, start, end, separators.element.charCodeAt(0), this.#ascii, wrapped);
      segment.byteOffset = byteOffset;
      segment.endOffset = endOffset;
      this.#sink.segment(segment);
    }
    return true;
  }

  /** Emits a BIN or BDS by its stated length if a terminator follows there: its bytes may hold terminators. */
  #takeBinary(start: number, separators: Separators, last: boolean): 'taken' | 'wait' | 'none' {
    if (this.#text.charCodeAt(start) !== 66 || this.#wrongLengths >= MAX_WRONG_LENGTHS) return 'none';
    const data = binaryAt(this.#text, start, separators);
    if (data === null) return 'none';
    this.#wantedBytes = Math.max(0, data.end + 1 - this.#text.length);
    if (this.#wantedBytes > 0 && !last) return 'wait';
    this.#wantedBytes = 0;
    if (this.#text.charAt(data.end) !== separators.segment) {
      this.#wrongLengths += 1;
      return 'none';
    }
    this.#at = data.end + 1;
    const segment = this.#segment;
    segment.loadBinary(this.#text, start, data, separators.element.charCodeAt(0));
    segment.byteOffset = this.window.base + start;
    segment.endOffset = this.window.base + this.#at;
    this.#sink.segment(segment);
    return 'taken';
  }

  /** Some senders wrap lines at a fixed width. */
  #holdsLineEnd(start: number, end: number): boolean {
    // Search again only after passing the last hit, so that a body on one line is not searched by every segment.
    if (this.#nextLineEnd < start) {
      const found = this.#text.indexOf('\n', start);
      this.#nextLineEnd = found === -1 ? this.#text.length : found;
    }
    return this.#nextLineEnd < end;
  }

  /** True if a line inside the segment begins like a segment: the terminator before it was lost. */
  #lostTerminator(start: number, end: number, element: string): boolean {
    for (let at = this.#text.indexOf('\n', start); at !== -1 && at < end; at = this.#text.indexOf('\n', at + 1)) {
      const begin = skipBlanks(this.#text, at + 1);
      if (/^[A-Z][A-Z0-9]{1,2}$/.test(this.#text.slice(begin, this.#text.indexOf(element, begin)))) return true;
    }
    return false;
  }

  /** An ISA inside a segment that ends at `end`, or has not ended (-1): the terminators before it were lost. */
  #isaInside(from: number, end: number, last: boolean): number | 'wait' {
    const limit = end === -1 ? this.#text.length : end;
    if (this.#nextIsa < from) this.#nextIsa = this.#isaFrom(from);
    while (this.#nextIsa < limit) {
      const found = findsIsa(this.#text, this.#nextIsa);
      if (found === 'yes') return this.#nextIsa;
      if (found === 'incomplete' && !last) return 'wait';
      this.#nextIsa = this.#isaFrom(this.#nextIsa + 1);
    }
    return -1;
  }

  #isaFrom(from: number): number {
    const found = this.#text.indexOf('ISA', from);
    return found === -1 ? this.#text.length : found;
  }

  /** Ends the segment at `start` where another interchange begins. */
  #interrupt(start: number, isa: number): void {
    this.#at = isa;
    const cut = this.#describeCut(start, this.window.base + isa);
    if (!this.#isLastTrailer(cut, isa)) this.#sink.interrupted(cut);
  }

  /** True if the bytes after the last terminator are the whole trailer of the interchange. */
  #isLastTrailer(cut: CutSegment, end: number): boolean {
    const separators = this.#current;
    if (cut.idStart !== 'IEA' || separators === null) return false;
    const start = cut.byteOffset - this.window.base;
    const segment = this.#segment;
    const to = trimmedEnd(this.#text, start, end);
    segment.load(this.#text, start, to, separators.element.charCodeAt(0), this.#ascii, false);
    segment.byteOffset = cut.byteOffset;
    segment.endOffset = this.window.base + to;
    return this.#sink.lastTrailer(segment);
  }

  /** Drops an overlong segment up to its terminator or another interchange; false if neither has arrived. */
  #finishSkipping(last: boolean): boolean {
    const end = this.#text.indexOf(this.#current?.segment ?? ASSUMED_SEPARATORS.segment, this.#at);
    const inside = this.#isaInside(this.#at, end, last);
    if (inside === 'wait') {
      this.#at = this.#nextIsa;
      return false;
    }
    if (inside === -1 && end === -1) {
      // The first letters of an ISA may have arrived.
      this.#at = Math.max(this.#at, this.#text.length - 2);
      return false;
    }
    this.#at = inside === -1 ? end + 1 : inside;
    const from = this.#skippingFrom;
    this.#skippingFrom = -1;
    this.#reportTooLong(from, this.window.base + this.#at);
    return true;
  }

  /** Reads the separators at an ISA, or assumes the usual ones at GS or ST. */
  #readSeparators(start: number, last: boolean): 'ready' | 'wait' | 'again' {
    const left = this.#text.length - start;
    if (left < 4 && !last) return 'wait';
    const byteOffset = this.window.base + start;
    if (!this.#looksLikeIsa(start)) return this.#assumeSeparators(start, byteOffset);
    const reading = readIsa(this.#text, start);
    if (reading.state === 'incomplete' && !last) return 'wait';
    if (reading.state === 'read') {
      const { separators, fixedWidth, unterminated, terminatorAt } = reading;
      this.#current = separators;
      this.#isaEnd = terminatorAt;
      this.#sink.separators(separators, { assumed: false, fixedWidth, unterminated, byteOffset });
      return 'ready';
    }
    this.#at = start + 3;
    this.#seekingIsa = true;
    const message = 'the ISA segment does not declare its separators';
    this.#report('ISA_UNREADABLE', message, byteOffset, byteOffset + 3, false);
    return 'again';
  }

  #assumeSeparators(start: number, byteOffset: number): 'ready' | 'again' {
    const head = this.#text.slice(start, start + 3);
    if (head === `GS${ASSUMED_SEPARATORS.element}` || head === `ST${ASSUMED_SEPARATORS.element}`) {
      this.#current = ASSUMED_SEPARATORS;
      this.#sink.separators(ASSUMED_SEPARATORS, { assumed: true, fixedWidth: true, unterminated: false, byteOffset });
      return 'ready';
    }
    this.#at = start + 1;
    this.#seekingIsa = true;
    this.#leadingFrom = byteOffset;
    return 'again';
  }

  /** Moves to the next ISA after unreadable bytes; false if the window has none. */
  #seekIsa(start: number, last: boolean): boolean {
    for (let from = this.#text.indexOf('ISA', start); from !== -1; from = this.#text.indexOf('ISA', from + 1)) {
      const { state } = readIsa(this.#text, from);
      if (state === 'unreadable' || (state === 'incomplete' && last)) continue;
      this.#at = from;
      if (state === 'incomplete') return false;
      this.#seekingIsa = false;
      this.#reportLeading('LEADING_TEXT', 'text before the first ISA is skipped', from + this.window.base);
      return true;
    }
    this.#at = Math.max(this.#at, this.#text.length - 2);
    return false;
  }

  #looksLikeIsa(start: number): boolean {
    return this.#text.charCodeAt(start) === 73 && this.#text.startsWith('ISA', start) && !this.#isLetterAt(start + 3);
  }

  #isLetterAt(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  }

  #cutSegment(bodyEnd: number): CutSegment | null {
    if (this.#skippingFrom !== -1) {
      this.#reportTooLong(this.#skippingFrom, bodyEnd);
      return { byteOffset: this.#skippingFrom, endOffset: bodyEnd, idStart: '' };
    }
    const start = skipBlanks(this.#text, this.#at);
    if (start >= this.#text.length || this.#seekingIsa) return null;
    return this.#describeCut(start, bodyEnd);
  }

  #describeCut(start: number, endOffset: number): CutSegment {
    const head =
      this.#text.slice(start, start + 4).split(this.#current?.element ?? ASSUMED_SEPARATORS.element)[0] ?? '';
    return {
      byteOffset: this.window.base + start,
      endOffset,
      idStart: /^[A-Z][A-Z0-9]{0,2}$/.test(head) ? head : '',
    };
  }

  #reportLeading(code: 'LEADING_TEXT' | 'NOT_X12', message: string, endOffset: number): void {
    if (this.#leadingFrom === -1) return;
    this.#report(code, message, this.#leadingFrom, endOffset, false);
    this.#leadingFrom = -1;
  }

  #reportTooLong(byteOffset: number, endOffset: number): void {
    const message = `a segment is longer than ${this.#segmentBytes} bytes`;
    this.#report('SEGMENT_TOO_LONG', message, byteOffset, endOffset, false);
  }

  #report(code: TokenFault['code'], message: string, byteOffset: number, endOffset: number, fatal: boolean): void {
    this.#sink.fault({ code, message, byteOffset, endOffset, fatal });
  }
}
