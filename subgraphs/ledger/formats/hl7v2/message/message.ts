import type { Wholeness } from '../../emit.js';
import type { AdapterWarning, Part, Position } from '../../format-adapter.js';
import { isKnownSegment, type Segment, type Separators } from './segment.js';

/** The header members of a message, trimmed and unescaped. */
interface MessageHeader {
  /** MSH-9.1, such as `ADT`. */
  readonly code: string;
  /** MSH-9.2, else EVN-1, such as `A01`. */
  readonly trigger: string;
  /** MSH-10. */
  readonly controlId: string;
  /** MSH-11.1. */
  readonly processing: string;
  /** MSH-12.1. */
  readonly version: string;
}

/** The most warnings kept for one message. */
const WARNING_LIMIT = 50;

/** One message, from its MSH to its last segment. */
export class Message {
  readonly header: MessageHeader;
  readonly separators: Separators;
  readonly segments: readonly Segment[];
  readonly part: Part;
  readonly warnings: AdapterWarning[] = [];
  /** False if the body ended inside the last segment, which may be cut. */
  readonly lastTerminated: boolean;
  /** True if the body ends inside the message: later segments are lost. */
  readonly isCut: boolean;
  /** True if the end of a frame, or another header, followed the message. */
  readonly isFramed: boolean;

  constructor(
    segments: readonly Segment[],
    about: { separators: Separators; part: Part; lastTerminated: boolean; isCut: boolean; isFramed: boolean },
  ) {
    this.segments = segments;
    this.separators = about.separators;
    this.part = about.part;
    this.lastTerminated = about.lastTerminated;
    this.isCut = about.isCut;
    this.isFramed = about.isFramed;
    this.header = readHeader(this.msh, this.find('EVN'));
  }

  /** A message is cut when its frame says so, or when a segment that its type needs is missing at its end. */
  get grade(): Wholeness['grade'] {
    if (this.isCut) return 'CUT';
    if (!this.lastTerminated && this.warnings.some(({ code }) => code === 'SEGMENT_MISSING')) return 'CUT';
    return this.isFramed ? 'WHOLE' : 'UNFRAMED';
  }

  get wholeness(): Wholeness {
    return { framed: this.isFramed, counted: null, trailer: this.lastTerminated && !this.isCut, grade: this.grade };
  }

  get msh(): Segment {
    const [msh] = this.segments;
    if (msh === undefined) throw new Error('a message has no segments');
    return msh;
  }

  /** `ADT^A01` for messages; any other MSH-9 must not appear in a text. */
  get name(): string {
    const { code, trigger } = this.header;
    if (!isCode(code)) return 'of an unknown type';
    return isCode(trigger) ? `${code}^${trigger}` : code;
  }

  find(id: string): Segment | undefined {
    return this.segments.find((segment) => segment.id === id);
  }

  /** The first segment that no version of the standard defines and that is no `Z…` segment. */
  unknownSegment(): Segment | undefined {
    return this.segments.find((segment) => !isKnownSegment(segment.id));
  }

  /** True if the body's end may have cut the value: the last field of an unterminated last segment. */
  mayBeCut(segment: Segment, field: number): boolean {
    return !this.lastTerminated && segment === this.segments.at(-1) && field >= segment.fieldCount;
  }

  warn(code: string, message: string, at: { segment?: Segment; field?: number } = {}): void {
    if (this.warnings.length >= WARNING_LIMIT) return;
    const { segment, field } = at;
    this.warnings.push({
      code,
      message,
      ...(segment !== undefined && { segment: segment.id, position: positionOf(segment) }),
      ...(field !== undefined && { element: field }),
    });
  }
}

export function positionOf(segment: Segment): Position {
  return { byteOffset: segment.byteOffset, segmentNumber: segment.number, transactionPosition: segment.position };
}

/** If MSH-9.2 is empty, EVN-1 names the event; some write `ADT_A01` into MSH-9.1. */
function readHeader(msh: Segment, evn: Segment | undefined): MessageHeader {
  const whole = msh.value(9, 1).toUpperCase();
  const [code = '', joined = ''] = whole.split('_');
  const trigger = msh.value(9, 2).toUpperCase() || joined || (evn?.value(1).toUpperCase() ?? '');
  return {
    code,
    trigger,
    controlId: msh.value(10),
    processing: msh.value(11).toUpperCase(),
    version: msh.value(12),
  };
}

function isCode(text: string): boolean {
  return /^[A-Z][A-Z0-9]{2}$/.test(text);
}
