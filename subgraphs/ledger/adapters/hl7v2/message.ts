import type { AdapterWarning, Part, Position } from '../adapter.js';
import type { Segment } from './segment.js';
import { isKnownSegment } from './segment-ids.js';
import type { Separators } from './separators.js';

/** What MSH says of a message, as sent but for blanks and escapes. */
export interface MessageHeader {
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

/** More warnings than this on one message say nothing new. */
const warningLimit = 50;

/** One message, from its MSH to its last segment. */
export class Message {
  readonly header: MessageHeader;
  readonly separators: Separators;
  readonly segments: readonly Segment[];
  readonly part: Part;
  readonly warnings: AdapterWarning[] = [];
  /** False where the body ended inside the last segment: it may be cut. */
  readonly lastTerminated: boolean;
  /** True where the body is known to end inside the message: segments behind the last one are lost. */
  readonly isCut: boolean;

  constructor(
    segments: readonly Segment[],
    about: { separators: Separators; part: Part; lastTerminated: boolean; isCut: boolean },
  ) {
    this.segments = segments;
    this.separators = about.separators;
    this.part = about.part;
    this.lastTerminated = about.lastTerminated;
    this.isCut = about.isCut;
    this.header = readHeader(this.msh, this.find('EVN'));
  }

  get msh(): Segment {
    const [msh] = this.segments;
    if (msh === undefined) throw new Error('a message has no segments');
    return msh;
  }

  /** `ADT^A01`, for people; nothing else of MSH-9 may reach a message text. */
  get name(): string {
    const { code, trigger } = this.header;
    if (!isCode(code)) return 'of an unknown type';
    return isCode(trigger) ? `${code}^${trigger}` : code;
  }

  find(id: string): Segment | undefined {
    return this.segments.find((segment) => segment.id === id);
  }

  /** The first segment that no version of the standard knows and that is none of the sender's own (`Z…`). */
  unknownSegment(): Segment | undefined {
    return this.segments.find((segment) => !isKnownSegment(segment.id));
  }

  /** True where the value may have been cut with the body: the last field of an unterminated last segment. */
  mayBeCut(segment: Segment, field: number): boolean {
    return !this.lastTerminated && segment === this.segments.at(-1) && field >= segment.fieldCount;
  }

  warn(code: string, message: string, at: { segment?: Segment; field?: number } = {}): void {
    if (this.warnings.length >= warningLimit) return;
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

/** Where MSH-9.2 is empty EVN-1 names the event; some write `ADT_A01` into MSH-9.1. */
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
