/** The bytes of one line (a segment) in the body, without its terminator. */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** Counted through the body, from 1. */
  readonly number: number;
}

/** A message as it lies in the window: lines from its MSH on. */
export interface RawMessage {
  readonly lines: readonly Line[];
  /** How it ended: by a later header, a frame's end or the body's with every segment terminated; or inside its last segment. */
  readonly ending: 'closed' | 'unterminated';
  /** True when the body ended before the MLLP frame that the message was begun in. */
  readonly frameOpen: boolean;
  readonly hasNul: boolean;
}

export interface Refused {
  readonly code: 'UNSUPPORTED_ENCODING' | 'NOT_HL7' | 'MESSAGE_TOO_LONG';
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly lineNumber: number;
}

export interface MessageSink {
  message(message: RawMessage): void;
  /** FHS, BHS, BTS or FTS. */
  envelope(line: Line): void;
  refused(refused: Refused): void;
}

/** The bytes in hand as text, one character a byte, and where in the body they begin. */
export interface Window {
  bytes: Buffer;
  text: string;
  base: number;
}

const defaultWindowBytes = 32 * 1024;
/** A message is held whole until it ends; a longer one is refused. */
export const messageBytesLimit = 16 * 1024 * 1024;
const messageLinesLimit = 20_000;
const [tab, lineFeed, verticalTab, carriageReturn, fileSeparator, blank] = [9, 10, 11, 13, 28, 32] as const;

/** Splits a body into messages as it streams in. Holds one window: the message begun, and the bytes behind it. */
export class MessageSplitter {
  readonly window: Window = { bytes: Buffer.alloc(0), text: '', base: 0 };

  private gathered: Uint8Array[] = [];
  private gatheredBytes = 0;
  private begun = false;
  private stopped = false;
  /** All offsets are of the body. */
  private scannedTo = 0;
  private lineStart = 0;
  private lineNumber = 0;
  private lines: Line[] | null = null;
  /** The rest of the line in hand is of one that was too long to hold. */
  private skippingLine = false;
  private framed = false;
  private lastNulAt = -1;
  /** Where unreadable bytes, or a message too long to hold, began; -1 when none. */
  private lostFrom = -1;
  private lostLine = 0;
  private lostCode: 'NOT_HL7' | 'MESSAGE_TOO_LONG' = 'NOT_HL7';
  private readonly sink: MessageSink;
  private readonly windowBytes: number;

  constructor(sink: MessageSink, windowBytes = defaultWindowBytes) {
    this.sink = sink;
    this.windowBytes = windowBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.stopped || chunk.length === 0) return;
    this.gathered.push(chunk);
    this.gatheredBytes += chunk.length;
    // What is held grows by doubling, so that a long message is not copied once for each chunk.
    if (this.gatheredBytes >= Math.max(this.windowBytes, this.window.bytes.length / 2)) this.advance();
  }

  finish(): void {
    if (this.stopped) return;
    this.advance();
    if (this.stopped) return;
    const { base, text } = this.window;
    const bodyEnd = base + text.length;
    const unterminated = this.line(this.lineStart, bodyEnd, -1);
    this.endMessage(unterminated ? 'unterminated' : 'closed', this.framed);
    this.endLost(bodyEnd);
  }

  private advance(): void {
    const { window } = this;
    const keepFrom = this.lines?.[0]?.start ?? this.lineStart;
    const bytes = Buffer.concat([window.bytes.subarray(keepFrom - window.base), ...this.gathered]);
    window.bytes = bytes;
    window.base = keepFrom;
    window.text = bytes.toString('latin1');
    this.gathered = [];
    this.gatheredBytes = 0;
    if (!this.begun) {
      this.begun = true;
      if (this.refuseEncoding(bytes)) return;
    }
    this.scan();
    if (window.text.length > messageBytesLimit) this.dropHeld();
  }

  /** UTF-16 must never be read as single bytes: its marks, or a NUL among the first characters, refuse the body. */
  private refuseEncoding(bytes: Buffer): boolean {
    const [first = 0, second = 0] = bytes;
    const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (!marked && !bytes.subarray(0, 8).includes(0)) return false;
    this.stopped = true;
    const message = 'the body is not single-byte text or UTF-8 (UTF-16 or NUL bytes)';
    this.sink.refused({ code: 'UNSUPPORTED_ENCODING', message, start: 0, end: bytes.length, lineNumber: 1 });
    return true;
  }

  private scan(): void {
    const { text, base } = this.window;
    const { length } = text;
    for (let at = this.scannedTo - base; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > fileSeparator) continue;
      if (code === carriageReturn || code === lineFeed || code === fileSeparator) {
        this.line(this.lineStart, base + at, code);
        this.lineStart = base + at + 1;
      } else if (code === 0) this.lastNulAt = base + at;
    }
    this.scannedTo = base + length;
  }

  /** Takes a line; false when there is nothing in it. */
  private line(from: number, end: number, terminator: number): boolean {
    const start = this.skipLead(from, end);
    const holds = start < end;
    if (this.skippingLine) this.skippingLine = false;
    else if (holds) {
      this.lineNumber += 1;
      this.takeLine({ start, end, number: this.lineNumber });
    }
    if (terminator === fileSeparator) {
      this.endMessage('closed', false);
      this.endLost(end);
      this.framed = false;
    }
    return holds;
  }

  private takeLine(line: Line): void {
    const header = this.headerAt(line.start);
    if (header === null) {
      if (this.lines !== null) this.addLine(this.lines, line);
      else if (this.lostFrom === -1) this.lose('NOT_HL7', line);
      return;
    }
    this.endMessage('closed', false);
    this.endLost(line.start);
    if (header === 'MSH') this.lines = [line];
    else this.sink.envelope(line);
  }

  private addLine(lines: Line[], line: Line): void {
    if (lines.length < messageLinesLimit) lines.push(line);
    else this.dropHeld();
  }

  private headerAt(start: number): string | null {
    const { text, base } = this.window;
    const at = start - base;
    const first = text.charCodeAt(at);
    if (first !== 0x4d && first !== 0x42 && first !== 0x46) return null;
    const id = text.slice(at, at + 3);
    if (id !== 'MSH' && id !== 'BHS' && id !== 'FHS' && id !== 'BTS' && id !== 'FTS') return null;
    return /^[A-Za-z0-9]$/.test(text.charAt(at + 3)) ? null : id;
  }

  /** Past blanks, a UTF-8 mark and the byte that begins an MLLP frame. */
  private skipLead(from: number, end: number): number {
    const { text, base } = this.window;
    for (let at = from; at < end; at += 1) {
      const code = text.charCodeAt(at - base);
      if (code === verticalTab) this.framed = true;
      else if (code === 0xef && text.startsWith('\u00bb\u00bf', at - base + 1)) at += 2;
      else if (code !== blank && code !== tab && code !== 2) return at;
    }
    return end;
  }

  private endMessage(ending: RawMessage['ending'], frameOpen: boolean): void {
    const { lines } = this;
    if (lines === null) return;
    this.lines = null;
    const hasNul = this.lastNulAt >= (lines[0]?.start ?? 0);
    this.sink.message({ lines, ending, frameOpen, hasNul });
  }

  /** Gives up the message in hand, and with it all lines until the next header. */
  private dropHeld(): void {
    const [first] = this.lines ?? [];
    this.lines = null;
    if (first !== undefined) this.lose('MESSAGE_TOO_LONG', first);
    else if (this.lostFrom === -1) this.loseAt('MESSAGE_TOO_LONG', this.lineStart, this.lineNumber + 1);
    if (this.scannedTo - this.lineStart <= messageBytesLimit) return;
    this.lineNumber += this.skippingLine ? 0 : 1;
    this.skippingLine = true;
    this.lineStart = this.scannedTo;
  }

  private lose(code: 'NOT_HL7' | 'MESSAGE_TOO_LONG', line: Line): void {
    this.loseAt(code, line.start, line.number);
  }

  private loseAt(code: 'NOT_HL7' | 'MESSAGE_TOO_LONG', from: number, lineNumber: number): void {
    this.lostCode = code;
    this.lostFrom = from;
    this.lostLine = lineNumber;
  }

  private endLost(end: number): void {
    if (this.lostFrom === -1) return;
    const code = this.lostCode;
    const message =
      code === 'NOT_HL7'
        ? 'segments stand outside any message: there is no MSH before them'
        : `a message is longer than ${messageBytesLimit} bytes or ${messageLinesLimit} segments`;
    this.sink.refused({ code, message, start: this.lostFrom, end, lineNumber: this.lostLine });
    this.lostFrom = -1;
  }
}
