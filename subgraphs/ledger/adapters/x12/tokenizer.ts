import { isAscii } from 'node:buffer';
import type { Window } from './part-tracker.js';
import { Segment } from './segment.js';
import type { CutSegment, SegmentSink, TokenFault, TokenizerLimits } from './segment-sink.js';
import { assumedSeparators, readIsa, type Separators, skipBlanks } from './separators.js';

/** What chunks are gathered to before they are looked at, so that a body sent byte by byte costs no more. */
const defaultWindowBytes = 32 * 1024;

/** Splits a body into segments as it streams in. Holds one window: the new bytes and the segment begun before them. */
export class SegmentTokenizer {
  /** The bytes in hand; `base` is their offset in the body. */
  window: Window = { bytes: Buffer.alloc(0), base: 0 };

  private text = '';
  private at = 0;
  private gathered: Uint8Array[] = [];
  private gatheredBytes = 0;
  private current: Separators | null = null;
  private searchedTo = 0;
  /** Where the ISA just found ends in the window; its end is told by its form. */
  private isaEnd = -1;
  private skippingFrom = -1;
  private begun = false;
  private seekingIsa = false;
  private stopped = false;
  private hasNul = false;
  private hasLineEnds = false;
  private nextLineEnd = -1;
  private ascii = true;
  private readonly segment = new Segment();
  private readonly sink: SegmentSink;
  private readonly segmentBytes: number;
  private readonly windowBytes: number;

  constructor(sink: SegmentSink, limits: TokenizerLimits) {
    this.sink = sink;
    this.segmentBytes = limits.segmentBytes;
    this.windowBytes = limits.windowBytes ?? defaultWindowBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.stopped || chunk.length === 0) return;
    this.gathered.push(chunk);
    this.gatheredBytes += chunk.length;
    if (this.gatheredBytes >= this.windowBytes) this.advance(false);
  }

  finish(): void {
    if (this.stopped) return;
    this.advance(true);
    if (this.stopped) return;
    const bodyEnd = this.window.base + this.text.length;
    this.sink.end(bodyEnd, this.cutSegment(bodyEnd));
  }

  private advance(last: boolean): void {
    this.sink.roll(this.window.base + this.at);
    const tail = this.window.bytes.subarray(this.at);
    const bytes = Buffer.concat([tail, ...this.gathered]);
    this.window = { bytes, base: this.window.base + this.at };
    this.gathered = [];
    this.gatheredBytes = 0;
    this.text = bytes.toString('latin1');
    this.ascii = isAscii(bytes);
    this.hasNul = bytes.includes(0);
    this.hasLineEnds = bytes.includes(10);
    this.nextLineEnd = -1;
    this.at = 0;
    if (!this.begun && !this.refuseEncoding()) this.begun = true;
    if (!this.stopped) this.scan(last);
  }

  /** UTF-16 must never be read as single bytes: its marks, or a NUL among the first characters, refuse the body. */
  private refuseEncoding(): boolean {
    const [first = 0, second = 0] = this.window.bytes;
    const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (!marked && !this.window.bytes.subarray(0, 8).includes(0)) return false;
    this.stopped = true;
    this.report(
      'UNSUPPORTED_ENCODING',
      'the body is not single-byte text or UTF-8 (UTF-16 or NUL bytes)',
      0,
      this.text.length,
      true,
    );
    return true;
  }

  private scan(last: boolean): void {
    while (!this.stopped) {
      if (this.skippingFrom !== -1 && !this.finishSkipping()) return;
      const start = skipBlanks(this.text, this.at);
      if (start >= this.text.length) return;
      if (this.seekingIsa) {
        if (!this.seekIsa(start, last)) return;
        continue;
      }
      if (this.current === null || this.looksLikeIsa(start)) {
        const ready = this.readSeparators(start, last);
        if (ready === 'wait') return;
        if (ready === 'again') continue;
      }
      if (!this.takeSegment(start)) return;
    }
  }

  /** Gives the segment that begins at `start`; false when its terminator has not come yet. */
  private takeSegment(start: number): boolean {
    const separators = this.current;
    if (separators === null) return false;
    const end =
      this.isaEnd === -1
        ? this.text.indexOf(separators.segment, Math.max(start, this.searchedTo - this.window.base))
        : this.isaEnd;
    this.isaEnd = -1;
    if (end === -1) {
      this.searchedTo = this.window.base + this.text.length;
      if (this.text.length - start > this.segmentBytes) {
        this.skippingFrom = this.window.base + start;
        this.at = this.text.length;
      }
      return false;
    }
    this.at = end + 1;
    // Two terminators in a row hold nothing, and are counted by nobody.
    if (end === start) return true;
    const byteOffset = this.window.base + start;
    const wrapped = this.hasLineEnds && this.holdsLineEnd(start, end);
    if (end - start > this.segmentBytes) {
      this.reportTooLong(byteOffset, byteOffset + end + 1 - start);
    } else if (this.hasNul && this.text.slice(start, end).includes('\0')) {
      this.report('NUL_IN_SEGMENT', 'the segment holds NUL bytes', byteOffset, byteOffset + end + 1 - start, false);
    } else if (wrapped && this.lostTerminator(start, end, separators.element)) {
      const message = 'another segment begins on a line inside this one: a terminator is missing';
      this.report('TERMINATOR_LOST', message, byteOffset, byteOffset + end + 1 - start, false);
    } else {
      const segment = this.segment;
      segment.load(this.text, start, end, separators.element.charCodeAt(0), this.ascii, wrapped);
      segment.byteOffset = byteOffset;
      segment.endOffset = byteOffset + end + 1 - start;
      this.sink.segment(segment);
    }
    return true;
  }

  /** Some senders wrap lines at a width, whatever stands there. */
  private holdsLineEnd(start: number, end: number): boolean {
    // Searched for anew only once passed, so that a body on one line is not searched to its end by every segment.
    if (this.nextLineEnd < start) {
      const found = this.text.indexOf('\n', start);
      this.nextLineEnd = found === -1 ? this.text.length : found;
    }
    return this.nextLineEnd < end;
  }

  /** True when a line inside the segment begins as a segment does: it is one, and the terminator before it was lost. */
  private lostTerminator(start: number, end: number, element: string): boolean {
    for (let at = this.text.indexOf('\n', start); at !== -1 && at < end; at = this.text.indexOf('\n', at + 1)) {
      const begin = skipBlanks(this.text, at + 1);
      if (/^[A-Z][A-Z0-9]{1,2}$/.test(this.text.slice(begin, this.text.indexOf(element, begin)))) return true;
    }
    return false;
  }

  /** Drops an overlong segment until its terminator comes; false while it has not. */
  private finishSkipping(): boolean {
    const end = this.text.indexOf(this.current?.segment ?? assumedSeparators.segment, this.at);
    if (end === -1) {
      this.at = this.text.length;
      return false;
    }
    this.at = end + 1;
    const from = this.skippingFrom;
    this.skippingFrom = -1;
    this.reportTooLong(from, this.window.base + this.at);
    return true;
  }

  /** Reads the separators at an ISA, or takes the usual ones where the body begins at GS or ST. */
  private readSeparators(start: number, last: boolean): 'ready' | 'wait' | 'again' {
    const left = this.text.length - start;
    if (left < 4 && !last) return 'wait';
    const byteOffset = this.window.base + start;
    if (!this.looksLikeIsa(start)) return this.assumeSeparators(start, byteOffset);
    const reading = readIsa(this.text, start);
    if (reading.state === 'incomplete' && !last) return 'wait';
    if (reading.state === 'read') {
      const { separators, fixedWidth, unterminated, terminatorAt } = reading;
      this.current = separators;
      this.isaEnd = terminatorAt;
      this.sink.separators(separators, { assumed: false, fixedWidth, unterminated, byteOffset });
      return 'ready';
    }
    this.at = start + 3;
    this.seekingIsa = true;
    this.report('ISA_UNREADABLE', 'the ISA segment does not show its separators', byteOffset, byteOffset + 3, false);
    return 'again';
  }

  private assumeSeparators(start: number, byteOffset: number): 'ready' | 'again' {
    const head = this.text.slice(start, start + 3);
    if (head === `GS${assumedSeparators.element}` || head === `ST${assumedSeparators.element}`) {
      this.current = assumedSeparators;
      this.sink.separators(assumedSeparators, { assumed: true, fixedWidth: true, unterminated: false, byteOffset });
      return 'ready';
    }
    this.at = start + 1;
    this.seekingIsa = true;
    this.report('NOT_X12', 'the body does not begin with ISA, GS or ST', byteOffset, byteOffset + 1, false);
    return 'again';
  }

  /** Moves to the next ISA after unreadable bytes; false when none is in the window. */
  private seekIsa(start: number, last: boolean): boolean {
    for (let from = this.text.indexOf('ISA', start); from !== -1; from = this.text.indexOf('ISA', from + 1)) {
      const { state } = readIsa(this.text, from);
      if (state === 'unreadable' || (state === 'incomplete' && last)) continue;
      this.at = from;
      if (state === 'incomplete') return false;
      this.seekingIsa = false;
      return true;
    }
    this.at = Math.max(this.at, this.text.length - 2);
    return false;
  }

  private looksLikeIsa(start: number): boolean {
    return this.text.charCodeAt(start) === 73 && this.text.startsWith('ISA', start) && !this.isLetterAt(start + 3);
  }

  private isLetterAt(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  }

  private cutSegment(bodyEnd: number): CutSegment | null {
    if (this.skippingFrom !== -1) {
      this.reportTooLong(this.skippingFrom, bodyEnd);
      return { byteOffset: this.skippingFrom, endOffset: bodyEnd, idStart: '' };
    }
    const start = skipBlanks(this.text, this.at);
    if (start >= this.text.length || this.seekingIsa) return null;
    const head = this.text.slice(start, start + 4).split(this.current?.element ?? assumedSeparators.element)[0] ?? '';
    return {
      byteOffset: this.window.base + start,
      endOffset: bodyEnd,
      idStart: /^[A-Z][A-Z0-9]{0,2}$/.test(head) ? head : '',
    };
  }

  private reportTooLong(byteOffset: number, endOffset: number): void {
    this.report(
      'SEGMENT_TOO_LONG',
      `a segment is longer than ${this.segmentBytes} bytes`,
      byteOffset,
      endOffset,
      false,
    );
  }

  private report(
    code: TokenFault['code'],
    message: string,
    byteOffset: number,
    endOffset: number,
    fatal: boolean,
  ): void {
    this.sink.fault({ code, message, byteOffset, endOffset, fatal });
  }
}
