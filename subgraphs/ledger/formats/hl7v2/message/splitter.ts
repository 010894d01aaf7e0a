import { isUtf16 } from '../../values/payload.js';

/** The bytes of one line (a segment) in the body, without its terminator. */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** Counted through the body, from 1. */
  readonly number: number;
}

/** A message in the window: lines from its MSH on. */
export interface RawMessage {
  readonly lines: readonly Line[];
  /**
   * How it ended: by a later header, a frame's end or the body's end with every segment terminated; or inside its last
   * segment.
   */
  readonly ending: 'closed' | 'unterminated';
  /** True if the body ended before the end of the message's MLLP frame. */
  readonly frameOpen: boolean;
  /** True if the end of its MLLP frame followed it. */
  readonly frameClosed: boolean;
  readonly hasNul: boolean;
}

export interface Refused {
  readonly code: 'UNSUPPORTED_ENCODING' | 'NOT_HL7' | 'MESSAGE_TOO_LONG';
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly lineNumber: number;
}

interface MessageSink {
  message(message: RawMessage): void;
  /** FHS, BHS, BTS or FTS. */
  envelope(line: Line): void;
  refused(refused: Refused): void;
  /** Text before the first header, which is skipped. */
  leadingText(start: number): void;
}

/** The bytes in memory as text, one character per byte, and their offset in the body. */
export interface Window {
  bytes: Buffer;
  text: string;
  base: number;
}

const DEFAULT_WINDOW_BYTES = 32 * 1024;
/** The longest message, held until it ends; a longer one is rejected. */
const MESSAGE_BYTES_LIMIT = 16 * 1024 * 1024;
const MESSAGE_LINES_LIMIT = 20_000;
const [TAB, VERTICAL_TAB, FILE_SEPARATOR, BLANK] = [9, 11, 28, 32] as const;

/** `MSH|^~\\&|`: a field separator, encoding characters, and the same separator. */
const HEADER_INSIDE = /(?:MSH|[BF]HS)([^A-Za-z0-9\s])(?!\1)[^A-Za-z0-9\s]{3,5}\1/g;

/** Ends of lines and frames, and NUL. */
const SPECIAL: readonly string[] = ['\r', '\n', '\u001c', '\0'];

/** Finds the next of several characters, each by a search of the engine, which is faster than a loop over all characters. */
class NextOf {
  readonly #text: string;
  readonly #characters: readonly string[];
  /** The next place of each character; -1 before the first search. */
  readonly #places: number[];

  constructor(text: string, characters: readonly string[]) {
    this.#text = text;
    this.#characters = characters;
    this.#places = characters.map(() => -1);
  }

  /** The first place at or after `start`; the length of the text if there is none. */
  from(start: number): number {
    let first = this.#text.length;
    for (let n = 0; n < this.#places.length; n += 1) {
      let place = this.#places[n] ?? -1;
      if (place < start) {
        const found = this.#text.indexOf(this.#characters[n] ?? '', start);
        place = found === -1 ? this.#text.length : found;
        this.#places[n] = place;
      }
      if (place < first) first = place;
    }
    return first;
  }
}

/** Splits a body into messages while it streams in. Holds one window: the open message and the bytes after it. */
export class MessageSplitter {
  readonly window: Window = { bytes: Buffer.alloc(0), text: '', base: 0 };

  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #begun = false;
  #stopped = false;
  /** All offsets count from the start of the body. */
  #scannedTo = 0;
  #lineStart = 0;
  #lineNumber = 0;
  #lines: Line[] | null = null;
  /** The rest of the current line belongs to one that was too long. */
  #skippingLine = false;
  #framed = false;
  #lastNulAt = -1;
  /** The next header in the window that may stand inside a line; -1 if not searched. */
  #nextHeader = -1;
  /** Start of unreadable bytes or of an overlong message; -1 if none. */
  #lostFrom = -1;
  #lostLine = 0;
  #lostCode: 'NOT_HL7' | 'MESSAGE_TOO_LONG' = 'NOT_HL7';
  readonly #sink: MessageSink;
  readonly #windowBytes: number;

  constructor(sink: MessageSink, windowBytes = DEFAULT_WINDOW_BYTES) {
    this.#sink = sink;
    this.#windowBytes = windowBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#stopped || chunk.length === 0) return;
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    // The window grows by doubling, so that a long message is not copied once per chunk.
    if (this.#gatheredBytes >= Math.max(this.#windowBytes, this.window.bytes.length / 2)) this.#advance();
  }

  finish(): void {
    if (this.#stopped) return;
    this.#advance();
    if (this.#stopped) return;
    const { base, text } = this.window;
    const bodyEnd = base + text.length;
    const unterminated = this.#line(this.#lineStart, bodyEnd, -1);
    this.#endMessage(unterminated ? 'unterminated' : 'closed', this.#framed);
    this.#endLost(bodyEnd);
  }

  #advance(): void {
    const { window } = this;
    const keepFrom = this.#lines?.[0]?.start ?? this.#lineStart;
    const bytes = Buffer.concat([window.bytes.subarray(keepFrom - window.base), ...this.#gathered]);
    window.bytes = bytes;
    window.base = keepFrom;
    window.text = bytes.toString('latin1');
    this.#nextHeader = -1;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (!this.#begun) {
      this.#begun = true;
      if (this.#refuseEncoding(bytes)) return;
    }
    this.#scan();
    if (window.text.length > MESSAGE_BYTES_LIMIT) this.#dropHeld();
  }

  #refuseEncoding(bytes: Buffer): boolean {
    if (!isUtf16(bytes)) return false;
    this.#stopped = true;
    const message = 'the body is not single-byte text or UTF-8 (UTF-16 or NUL bytes)';
    this.#sink.refused({ code: 'UNSUPPORTED_ENCODING', message, start: 0, end: bytes.length, lineNumber: 1 });
    return true;
  }

  #scan(): void {
    const { text, base } = this.window;
    const next = new NextOf(text, SPECIAL);
    for (let at = next.from(this.#scannedTo - base); at < text.length; at = next.from(at + 1)) {
      const code = text.charCodeAt(at);
      if (code === 0) this.#lastNulAt = base + at;
      else {
        this.#line(this.#lineStart, base + at, code);
        this.#lineStart = base + at + 1;
      }
    }
    this.#scannedTo = base + text.length;
  }

  /** Takes a line; false if it is empty. */
  #line(from: number, end: number, terminator: number): boolean {
    const start = this.#skipLead(from, end);
    const holds = start < end;
    if (this.#skippingLine) this.#skippingLine = false;
    else if (holds) this.#takeJoined(start, end);
    if (terminator === FILE_SEPARATOR) {
      this.#endMessage('closed', false, this.#framed);
      this.#endLost(end);
      this.#framed = false;
    }
    return holds;
  }

  /** Takes a line, and each message that begins inside it because the terminator before its header was lost. */
  #takeJoined(from: number, end: number): void {
    let start = from;
    for (let inside = this.#headerInside(start + 1, end); inside !== -1; inside = this.#headerInside(start + 1, end)) {
      const isFramed = this.window.text.charCodeAt(inside - 1 - this.window.base) === VERTICAL_TAB;
      this.#lineNumber += 1;
      this.#takeLine({ start, end: isFramed ? inside - 1 : inside, number: this.#lineNumber });
      this.#endMessage('unterminated', this.#framed);
      this.#framed = isFramed;
      start = inside;
    }
    this.#lineNumber += 1;
    this.#takeLine({ start, end, number: this.#lineNumber });
  }

  /** Offset of a header with its own encoding characters in a range; -1 if there is none. */
  #headerInside(from: number, end: number): number {
    if (this.#nextHeader < from) {
      HEADER_INSIDE.lastIndex = from - this.window.base;
      const found = HEADER_INSIDE.exec(this.window.text);
      this.#nextHeader = found === null ? Number.POSITIVE_INFINITY : found.index + this.window.base;
    }
    return this.#nextHeader < end ? this.#nextHeader : -1;
  }

  #takeLine(line: Line): void {
    const header = this.#headerAt(line.start);
    if (header === null) {
      if (this.#lines !== null) this.#addLine(this.#lines, line);
      else if (this.#lostFrom === -1) this.#lose('NOT_HL7', line);
      return;
    }
    this.#endMessage('closed', false);
    this.#endLost(line.start, true);
    if (header === 'MSH') this.#lines = [line];
    else this.#sink.envelope(line);
  }

  #addLine(lines: Line[], line: Line): void {
    if (lines.length < MESSAGE_LINES_LIMIT) lines.push(line);
    else this.#dropHeld();
  }

  #headerAt(start: number): string | null {
    const { text, base } = this.window;
    const at = start - base;
    const first = text.charCodeAt(at);
    if (first !== 0x4d && first !== 0x42 && first !== 0x46) return null;
    const id = text.slice(at, at + 3);
    if (id !== 'MSH' && id !== 'BHS' && id !== 'FHS' && id !== 'BTS' && id !== 'FTS') return null;
    return /^[A-Za-z0-9]$/.test(text.charAt(at + 3)) ? null : id;
  }

  /** Skips blanks, a UTF-8 mark and the MLLP start byte. */
  #skipLead(from: number, end: number): number {
    const { text, base } = this.window;
    for (let at = from; at < end; at += 1) {
      const code = text.charCodeAt(at - base);
      if (code === VERTICAL_TAB) this.#framed = true;
      else if (code === 0xef && text.startsWith('\u00bb\u00bf', at - base + 1)) at += 2;
      else if (code !== BLANK && code !== TAB && code !== 2) return at;
    }
    return end;
  }

  #endMessage(ending: RawMessage['ending'], frameOpen: boolean, frameClosed = false): void {
    const lines = this.#lines;
    if (lines === null) return;
    this.#lines = null;
    const hasNul = this.#lastNulAt >= (lines[0]?.start ?? 0);
    this.#sink.message({ lines, ending, frameOpen, frameClosed, hasNul });
  }

  /** Drops the open message and all lines up to the next header. */
  #dropHeld(): void {
    const [first] = this.#lines ?? [];
    this.#lines = null;
    if (first !== undefined) this.#lose('MESSAGE_TOO_LONG', first);
    else if (this.#lostFrom === -1) this.#loseAt('MESSAGE_TOO_LONG', this.#lineStart, this.#lineNumber + 1);
    if (this.#scannedTo - this.#lineStart <= MESSAGE_BYTES_LIMIT) return;
    this.#lineNumber += this.#skippingLine ? 0 : 1;
    this.#skippingLine = true;
    this.#lineStart = this.#scannedTo;
  }

  #lose(code: 'NOT_HL7' | 'MESSAGE_TOO_LONG', line: Line): void {
    this.#loseAt(code, line.start, line.number);
  }

  #loseAt(code: 'NOT_HL7' | 'MESSAGE_TOO_LONG', from: number, lineNumber: number): void {
    this.#lostCode = code;
    this.#lostFrom = from;
    this.#lostLine = lineNumber;
  }

  /** True for a line that begins like a segment: a message that lost its header is not leading text. */
  #isSegment(start: number): boolean {
    const { text, base } = this.window;
    return start < base || /^[A-Z][A-Z0-9]{2}[^A-Za-z0-9\s]/.test(text.slice(start - base, start - base + 4));
  }

  /** @param hasHeader a header ends the lost part. */
  #endLost(end: number, hasHeader = false): void {
    if (this.#lostFrom === -1) return;
    const code = this.#lostCode;
    const message =
      code === 'NOT_HL7'
        ? 'segments outside any message: no MSH precedes them'
        : `a message is longer than ${MESSAGE_BYTES_LIMIT} bytes or ${MESSAGE_LINES_LIMIT} segments`;
    const lost = { start: this.#lostFrom, end, lineNumber: this.#lostLine };
    if (code === 'NOT_HL7' && hasHeader && this.#lostLine === 1 && !this.#isSegment(lost.start)) {
      this.#sink.leadingText(lost.start);
    } else this.#sink.refused({ code, message, ...lost });
    this.#lostFrom = -1;
  }
}
