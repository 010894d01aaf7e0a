import { cleanText } from './text.js';

/** A segment id as one number, so that dispatching on it allocates nothing. */
export function segmentKey(id: string): number {
  return (id.charCodeAt(0) << 16) | (id.charCodeAt(1) << 8) | (id.length > 2 ? id.charCodeAt(2) : 0);
}

const initialElements = 64;

/**
 * One segment, read in place: a view on the tokenizer's window that is moved from segment to segment. Its elements are
 * found only when one is asked for, since most segments of a file are never asked. Nothing may keep a Segment.
 */
export class Segment {
  /** `segmentKey` of the id; 0 when the id is malformed. */
  key = 0;
  byteOffset = 0;
  /** Of the terminator's next byte. */
  endOffset = 0;
  /** Counted through the body. */
  number = 0;
  /** Counted from ST, which is 1; 0 outside a transaction. */
  position = 0;

  private text = '';
  private start = 0;
  private end = 0;
  private separator = 0;
  private ascii = true;
  private wrapped = false;
  private bounds = new Int32Array(initialElements);
  private found = -1;

  /** Moves the view to `text[start, end)`. A wrapped segment has line ends inside it that are no part of its values. */
  load(text: string, start: number, end: number, separator: number, ascii: boolean, wrapped: boolean): void {
    this.text = text;
    this.start = start;
    this.end = end;
    this.separator = separator;
    this.ascii = ascii;
    this.wrapped = wrapped;
    this.found = -1;
    this.key = readKey(text, start, end, separator);
  }

  get id(): string {
    return this.key === 0 ? '' : this.text.slice(this.start, this.start + ((this.key & 0xff) === 0 ? 2 : 3));
  }

  /** How many elements follow the id. */
  get elementCount(): number {
    if (this.found === -1) this.split();
    return this.found;
  }

  /** Element n (from 1) as it stands, Latin-1; '' when absent. */
  at(n: number): string {
    if (this.found === -1) this.split();
    if (n > this.found) return '';
    const start = this.bounds[n - 1] ?? 0;
    const end = (this.bounds[n] ?? 0) - 1;
    return start === end ? '' : this.text.slice(start, end);
  }

  /** Element n as a number to compare with `segmentKey` of a qualifier of two or three characters; 0 for any other. */
  qualifier(n: number): number {
    if (this.found === -1) this.split();
    if (n > this.found) return 0;
    const start = this.bounds[n - 1] ?? 0;
    const length = (this.bounds[n] ?? 0) - 1 - start;
    if (length < 2 || length > 3) return 0;
    const { text } = this;
    return (
      (text.charCodeAt(start) << 16) |
      (text.charCodeAt(start + 1) << 8) |
      (length === 3 ? text.charCodeAt(start + 2) : 0)
    );
  }

  /** Element n without blanks around it, its bytes read as UTF-8 where they are that. */
  value(n: number): string {
    const raw = this.wrapped ? this.at(n).replace(/[\r\n]+/g, '') : this.at(n);
    return raw === '' ? raw : cleanText(raw, this.ascii);
  }

  /** The whole segment as it stands, without its terminator. */
  source(): string {
    return this.text.slice(this.start, this.end);
  }

  private split(): void {
    const { text, end, separator } = this;
    let found = 0;
    for (let at = this.start; at < end; at += 1) {
      if (text.charCodeAt(at) !== separator) continue;
      if (found + 1 >= this.bounds.length) this.grow();
      this.bounds[found] = at + 1;
      found += 1;
    }
    // The end stands where a further separator's successor would, so that every element ends one before its next bound.
    this.bounds[found] = end + 1;
    this.found = found;
  }

  private grow(): void {
    const larger = new Int32Array(this.bounds.length * 2);
    larger.set(this.bounds);
    this.bounds = larger;
  }
}

/** Two or three capital letters or digits, the first a letter, then a separator or the segment's end. */
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
