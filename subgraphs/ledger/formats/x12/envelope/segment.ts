import type { Position } from '../../format-adapter.js';
import { decodeWestern } from '../../values/characters.js';
import type { Separators } from './separators.js';

/** Packs a segment id into one number, so that dispatch allocates nothing. */
export function segmentKey(id: string): number {
  return (id.charCodeAt(0) << 16) | (id.charCodeAt(1) << 8) | (id.length > 2 ? id.charCodeAt(2) : 0);
}

/** The keys of several ids, separated by blanks. */
export const segmentKeys = (ids: string): ReadonlySet<number> => new Set(ids.split(' ').map(segmentKey));

/** A table by segment id, or by qualifier of two or three characters. */
export const bySegment = <T>(table: Readonly<Record<string, T>>): ReadonlyMap<number, T> =>
  new Map(Object.entries(table).map(([id, value]) => [segmentKey(id), value]));

/** Where a segment is in the body. */
/** A segment's id and place, which stay when the reader has moved on. */
export type SegmentPlace = Pick<Segment, 'id' | 'byteOffset' | 'number' | 'position'>;

export function positionOf({ byteOffset, number, position }: Omit<SegmentPlace, 'id'>): Position {
  if (position === 0) return { byteOffset, segmentNumber: number };
  return { byteOffset, segmentNumber: number, transactionPosition: position };
}

/** True if a segment has more elements than its guide: a terminator is missing and the next segment ran into it. */
export function hasRunOn(segment: Segment, lastElement: number): boolean {
  for (let at = lastElement + 1; at <= segment.elementCount; at += 1) if (segment.at(at) !== '') return true;
  return false;
}

const INITIAL_ELEMENTS = 64;

/**
 * One segment, read in place: a view on the tokenizer's window that moves from segment to segment. It finds its
 * elements only on demand, because most segments are skipped. Callers must not keep a Segment.
 */
export class Segment {
  /** `segmentKey` of the id; 0 if malformed. */
  key = 0;
  byteOffset = 0;
  /** The offset after the terminator. */
  endOffset = 0;
  /** Counted through the body. */
  number = 0;
  /** Counted from ST, which is 1; 0 outside a transaction. */
  position = 0;

  #text = '';
  #start = 0;
  #end = 0;
  #separator = 0;
  #ascii = true;
  #wrapped = false;
  #bounds = new Int32Array(INITIAL_ELEMENTS);
  #found = -1;
  /** Where the bytes of a BIN or BDS begin in the text; -1 in other segments. */
  #dataStart = -1;
  #dataEnd = -1;

  /** Moves the view to `text[start, end)`. A wrapped segment contains line ends that are not part of its values. */
  load(text: string, start: number, end: number, separator: number, ascii: boolean, wrapped: boolean): void {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#separator = separator;
    this.#ascii = ascii;
    this.#wrapped = wrapped;
    this.#found = -1;
    this.#dataStart = -1;
    this.key = readKey(text, start, end, separator);
  }

  /** Moves the view to a BIN or BDS: its elements before the data, then the data of the stated length. */
  loadBinary(
    text: string,
    start: number,
    data: { readonly start: number; readonly end: number },
    separator: number,
  ): void {
    this.load(text, start, data.start - 1, separator, true, false);
    this.#dataStart = data.start;
    this.#dataEnd = data.end;
  }

  /** The bytes of a BIN or BDS; null if their stated length was not usable. */
  data(): Buffer | null {
    return this.#dataStart === -1 ? null : Buffer.from(this.#text.slice(this.#dataStart, this.#dataEnd), 'latin1');
  }

  get id(): string {
    return this.key === 0 ? '' : this.#text.slice(this.#start, this.#start + ((this.key & 0xff) === 0 ? 2 : 3));
  }

  /** How many elements follow the id. */
  get elementCount(): number {
    if (this.#found === -1) this.#split();
    return this.#found;
  }

  /** Element n (from 1) as sent, Latin-1; '' if absent. */
  at(n: number): string {
    if (this.#found === -1) this.#split();
    if (n > this.#found) return '';
    const start = this.#bounds[n - 1] ?? 0;
    const end = (this.#bounds[n] ?? 0) - 1;
    return start === end ? '' : this.#text.slice(start, end);
  }

  /** Element n as a number comparable to `segmentKey` of a qualifier of two or three characters; 0 for any other. */
  qualifier(n: number): number {
    if (this.#found === -1) this.#split();
    if (n > this.#found) return 0;
    const start = this.#bounds[n - 1] ?? 0;
    const length = (this.#bounds[n] ?? 0) - 1 - start;
    if (length < 2 || length > 3) return 0;
    const text = this.#text;
    return (
      (text.charCodeAt(start) << 16) |
      (text.charCodeAt(start + 1) << 8) |
      (length === 3 ? text.charCodeAt(start + 2) : 0)
    );
  }

  /** Element n, trimmed and decoded as UTF-8 if possible. */
  value(n: number): string {
    const raw = this.#wrapped ? this.at(n).replace(/[\r\n]+/g, '') : this.at(n);
    return raw === '' ? raw : cleanText(raw, this.#ascii);
  }

  /** The whole segment as sent, without its terminator. */
  source(): string {
    return this.#text.slice(this.#start, this.#end);
  }

  #split(): void {
    const text = this.#text;
    const end = this.#end;
    const separator = this.#separator;
    let found = 0;
    for (let at = this.#start; at < end; at += 1) {
      if (text.charCodeAt(at) !== separator) continue;
      if (found + 1 >= this.#bounds.length) this.#grow();
      this.#bounds[found] = at + 1;
      found += 1;
    }
    // One more bound, as if a separator followed, so that every element ends one before its next bound.
    this.#bounds[found] = end + 1;
    this.#found = found;
  }

  #grow(): void {
    const larger = new Int32Array(this.#bounds.length * 2);
    larger.set(this.#bounds);
    this.#bounds = larger;
  }
}

/** Reads two or three capital letters or digits, the first a letter, before a separator or the segment's end. */
function readKey(text: string, start: number, end: number, separator: number): number {
  if (end - start < 2) return 0;
  const first = text.charCodeAt(start);
  const second = text.charCodeAt(start + 1);
  if (first < 65 || first > 90 || !isIdCode(second)) return 0;
  if (end - start === 2) return (first << 16) | (second << 8);
  const third = text.charCodeAt(start + 2);
  if (third === separator) return (first << 16) | (second << 8);
  if (!isIdCode(third)) return 0;
  if (end - start > 3 && text.charCodeAt(start + 3) !== separator) return 0;
  return (first << 16) | (second << 8) | third;
}

function isIdCode(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Trims an element and decodes bytes above 0x7F as UTF-8, else as windows-1252, which holds Latin-1 (X12 names no
 * character set). `raw` holds one character per byte.
 */
function cleanText(raw: string, ascii: boolean): string {
  if (ascii) return trimBlanks(raw);
  return trimBlanks(decodeBytes(raw));
}

function decodeBytes(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    return decodeWestern(bytes);
  }
}

/** `trim` with a fast path for values that need none. */
function trimBlanks(value: string): string {
  const last = value.charCodeAt(value.length - 1);
  if (value.charCodeAt(0) > 32 && last > 32 && last < 128) return value;
  return value.trim();
}

/** Bytes that are no readable segment. `fatal` ends the reading. */
export interface TokenFault {
  code:
    | 'UNSUPPORTED_ENCODING'
    | 'NOT_X12'
    | 'LEADING_TEXT'
    | 'ISA_UNREADABLE'
    | 'SEGMENT_TOO_LONG'
    | 'NUL_IN_SEGMENT'
    | 'TERMINATOR_LOST';
  message: string;
  byteOffset: number;
  endOffset: number;
  fatal: boolean;
}

/** The bytes after the last terminator of the body; reported, never used. */
export interface CutSegment {
  byteOffset: number;
  endOffset: number;
  /** The characters before the first separator, at most three. */
  idStart: string;
}

/** How the separators were found. */
export interface SeparatorNotice {
  /** True if no ISA named them. */
  assumed: boolean;
  /** True if the ISA elements have their fixed widths. */
  fixedWidth: boolean;
  /** True if the ISA ends with its line and lacks the terminator of the other segments. */
  unterminated: boolean;
  byteOffset: number;
}

export interface SegmentSink {
  separators(separators: Separators, notice: SeparatorNotice): void;
  segment(segment: Segment): void;
  /** Takes an IEA without a terminator; false if it is cut. */
  lastTrailer(segment: Segment): boolean;
  /** The bytes between the last terminator and an ISA that follows without one. */
  interrupted(cut: CutSegment): void;
  fault(fault: TokenFault): void;
  /** Runs before the window moves on; bytes before `consumedTo` are gone afterwards. */
  roll(consumedTo: number): void;
  end(endOffset: number, cut: CutSegment | null): void;
}

export interface TokenizerLimits {
  segmentBytes: number;
  windowBytes?: number;
}
