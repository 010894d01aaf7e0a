import { hash } from 'node:crypto';
import type { Part, Position } from '../../format-adapter.js';
import { lineContent } from '../../values/content.js';
import { type CharacterFault, CharacterSet } from './character-sets.js';
import { Message } from './message.js';
import { type Reading, readingOf, readSeparators, Segment, type Separators } from './segment.js';
import type { Line, RawMessage, Window } from './splitter.js';

/** Why a message is unreadable. Its first line gives the acknowledgement its addresses, if readable. */
export interface Unreadable {
  readonly code: string;
  readonly message: string;
  readonly segment?: string;
  readonly position: Position;
  readonly part: Part;
  /** The MSH, if its separators are readable. */
  readonly msh: Segment | null;
  readonly separators: Separators | null;
}

type ReadMessage = { readonly message: Message } | { readonly unreadable: Unreadable };

/** Segments with text that may contain unescaped line breaks. */
const TEXT_SEGMENTS: ReadonlySet<string> = new Set(['OBX', 'NTE']);
/** A line with a field separator this close to its start looks like a segment with a damaged id. */
const DAMAGED_ID_REACH = 8;

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly line: Line;
  readonly segment?: string;
}

/** Reads the lines of one message into segments, or returns why it cannot. */
export function readMessage(
  raw: RawMessage,
  window: Window,
  known: { cut: boolean; segmentBytes: number },
): ReadMessage {
  const [first] = raw.lines;
  if (first === undefined) throw new Error('a message has no lines');
  const lines = withoutCut(raw, known.cut);
  const last = lines.at(-1) ?? first;
  const part = partOf(window, first.start, last.end);
  const mshText = window.text.slice(first.start - window.base, first.end - window.base);
  const separators = readSeparators(mshText);
  if (separators === null) {
    const fault = {
      code: 'HEADER_UNREADABLE',
      message: 'MSH-1 and MSH-2 do not declare the separators',
      line: first,
      segment: 'MSH',
    };
    return { unreadable: unreadable(fault, first, { part, msh: null, separators }) };
  }
  const builder = new SegmentBuilder(window, separators, characterSetOf(mshText, separators), { first, last });
  const fault = raw.hasNul
    ? { code: 'NUL_IN_MESSAGE', message: 'the message contains NUL bytes', line: first }
    : (lostTerminator(lines, window, mshText) ?? builder.assemble(lines, known.segmentBytes));
  if (fault !== null) {
    return { unreadable: unreadable(fault, first, { part, msh: builder.build(first, first.end), separators }) };
  }
  const lastTerminated = raw.ending === 'closed' || known.cut;
  const isCut = raw.frameOpen || known.cut;
  const message = new Message(builder.segments, { separators, part, lastTerminated, isCut, isFramed: raw.frameClosed });
  warnOfReading(message, builder, raw.ending === 'unterminated' && known.cut);
  return { message };
}

function unreadable(fault: Fault, first: Line, about: Pick<Unreadable, 'part' | 'msh' | 'separators'>): Unreadable {
  const { code, message, line, segment } = fault;
  const transactionPosition = line.number - first.number + 1;
  const position = { byteOffset: line.start, segmentNumber: line.number, transactionPosition };
  return { code, message, position, ...about, ...(segment !== undefined && { segment }) };
}

/**
 * Finds an MSH with its own MSH-2, or a numbered PID, inside a line: a terminator was lost and another message or
 * patient begins there.
 */
function lostTerminator(lines: readonly Line[], window: Window, mshText: string): Fault | null {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return null;
  const { text, base } = window;
  // The next message usually begins alike, so this search ends quickly.
  let at = text.indexOf(mshText.slice(0, 8), first.start - base + 1);
  if (at === -1 || at + base >= last.end)
    at = patientInside(text, first.start - base, last.end - base, mshText.charAt(3));
  if (at === -1) return null;
  const line = lines.find(({ end }) => end > at + base) ?? last;
  return {
    code: 'TERMINATOR_LOST',
    message: 'another MSH or PID begins inside this segment: a terminator is missing',
    line,
  };
}

/** Index of `PID|1|` after the start of a line; -1 if absent. */
function patientInside(text: string, from: number, end: number, field: string): number {
  for (let at = text.indexOf(`PID${field}`, from); at !== -1 && at < end; at = text.indexOf(`PID${field}`, at + 1)) {
    if (text.charCodeAt(at - 1) <= 0x20) continue;
    let digits = at + 4;
    while (digits < end && isDigit(text.charCodeAt(digits))) digits += 1;
    if (digits > at + 4 && text.charAt(digits) === field) return at;
  }
  return -1;
}

/** A last segment that was cut is never used. */
function withoutCut(raw: RawMessage, cut: boolean): readonly Line[] {
  return raw.ending === 'unterminated' && cut && raw.lines.length > 1 ? raw.lines.slice(0, -1) : raw.lines;
}

function warnOfReading(message: Message, builder: SegmentBuilder, cut: boolean): void {
  const { msh } = message;
  if (builder.continued) {
    message.warn('SEGMENT_CONTINUED', 'a text has unescaped line breaks; its lines are read as one segment');
  }
  if (cut) message.warn('MESSAGE_CUT', 'the body ends inside the message; its cut last segment is not used');
  else if (!message.lastTerminated) {
    const segment = message.segments.at(-1) ?? msh;
    message.warn('SEGMENT_UNTERMINATED', 'the last segment has no terminator: it may be cut', { segment });
  }
  const { fault } = builder.characters;
  if (fault !== null) message.warn(fault, CHARACTER_FAULTS[fault], { segment: msh, field: 18 });
}

const CHARACTER_FAULTS: Readonly<Record<CharacterFault, string>> = {
  CHARSET_UNKNOWN: 'MSH-18 names an unsupported character set: bytes are read as UTF-8, else as windows-1252',
  CHARSET_MISMATCH: 'bytes are invalid in the declared character set: they are read as UTF-8, else as windows-1252',
};

function characterSetOf(mshText: string, { field, repetition, component }: Separators): CharacterSet {
  const raw = mshText.split(field, 18)[17] ?? '';
  const [first = ''] = repetition === '' ? [raw] : raw.split(repetition);
  return CharacterSet.of((first.split(component)[0] ?? '').trim());
}

export function partOf(window: Window, start: number, end: number): Part {
  const bytes = window.bytes.subarray(start - window.base, end - window.base);
  const sha256 = hash('sha256', bytes, 'hex');
  return { offset: start, length: end - start, sha256, contentSha256: lineContent(bytes, sha256) };
}

/** Makes the segments of one message out of its lines. */
class SegmentBuilder {
  readonly segments: Segment[] = [];
  readonly characters: CharacterSet;
  /** True if a text continued on further lines. */
  continued = false;
  readonly #window: Window;
  readonly #separators: Separators;
  readonly #reading: Reading;
  readonly #firstNumber: number;
  /** True if no segment needs decoding: one look at the message instead of one at each segment. */
  readonly #isPlain: boolean;

  constructor(window: Window, separators: Separators, characters: CharacterSet, lines: { first: Line; last: Line }) {
    this.#window = window;
    this.#separators = separators;
    this.characters = characters;
    this.#reading = readingOf(separators, characters);
    this.#firstNumber = lines.first.number;
    const { base } = window;
    this.#isPlain = characters.isPlain(window.bytes.subarray(lines.first.start - base, lines.last.end - base));
  }

  /** Fills `segments`; returns a fault for a line that is neither a segment nor part of a text. */
  assemble(lines: readonly Line[], segmentBytes: number): Fault | null {
    let open: { line: Line; end: number; id: string } | null = null;
    for (const line of lines) {
      const id = this.idOf(line);
      if (id !== null) {
        if (open !== null) this.segments.push(this.build(open.line, open.end));
        open = { line, end: line.end, id };
      } else if (open !== null && TEXT_SEGMENTS.has(open.id) && !this.looksDamaged(line)) {
        open.end = line.end;
        this.continued = true;
      } else {
        return { code: 'SEGMENT_UNREADABLE', message: 'a line of the message does not begin with a segment id', line };
      }
      // An OBX may contain a document; only the message limits it.
      if (open.id !== 'OBX' && open.end - open.line.start > segmentBytes) {
        const message = `a segment is longer than ${segmentBytes} bytes`;
        return { code: 'SEGMENT_TOO_LONG', message, line: open.line, segment: open.id };
      }
    }
    if (open !== null) this.segments.push(this.build(open.line, open.end));
    return null;
  }

  build(line: Line, end: number): Segment {
    const window = this.#window;
    const [from, to] = [line.start - window.base, end - window.base];
    const source = this.#isPlain ? window.text.slice(from, to) : this.#decode(window.bytes.subarray(from, to));
    const place = {
      byteOffset: line.start,
      endOffset: end,
      number: line.number,
      position: line.number - this.#firstNumber + 1,
    };
    return new Segment(source, place, this.#reading);
  }

  #decode(bytes: Buffer): string {
    return this.characters.isPlain(bytes) ? bytes.toString('latin1') : this.characters.decode(bytes);
  }

  /** The id at the start of a line; null if there is none. */
  idOf(line: Line): string | null {
    const { text, base } = this.#window;
    const at = line.start - base;
    const length = line.end - line.start;
    if (length < 3 || (length > 3 && text.charAt(at + 3) !== this.#separators.field)) return null;
    const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    return isCapital(first) && isIdCode(second) && isIdCode(third) ? text.slice(at, at + 3) : null;
  }

  looksDamaged(line: Line): boolean {
    const at = line.start - this.#window.base;
    return this.#window.text.slice(at, at + DAMAGED_ID_REACH).includes(this.#separators.field);
  }
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isIdCode(code: number): boolean {
  return isCapital(code) || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
