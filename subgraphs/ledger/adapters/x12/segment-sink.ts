import type { Segment } from './segment.js';
import type { Separators } from './separators.js';

/** Bytes that could not be taken as a segment. `fatal` ends the reading. */
export interface TokenFault {
  code:
    | 'UNSUPPORTED_ENCODING'
    | 'NOT_X12'
    | 'ISA_UNREADABLE'
    | 'SEGMENT_TOO_LONG'
    | 'NUL_IN_SEGMENT'
    | 'TERMINATOR_LOST';
  message: string;
  byteOffset: number;
  endOffset: number;
  fatal: boolean;
}

/** The bytes after the last terminator at the end of the body. They are reported and never used. */
export interface CutSegment {
  byteOffset: number;
  endOffset: number;
  /** The characters before the first separator, at most three. */
  idStart: string;
}

/** How the separators were found. */
export interface SeparatorNotice {
  /** No ISA named them. */
  assumed: boolean;
  /** The elements of ISA have their fixed widths. */
  fixedWidth: boolean;
  /** ISA ends with its line, and lacks the terminator of the other segments. */
  unterminated: boolean;
  byteOffset: number;
}

export interface SegmentSink {
  separators(separators: Separators, notice: SeparatorNotice): void;
  segment(segment: Segment): void;
  fault(fault: TokenFault): void;
  /** The window is about to move on: bytes before `consumedTo` will not be seen again. */
  roll(consumedTo: number): void;
  end(endOffset: number, cut: CutSegment | null): void;
}

export interface TokenizerLimits {
  segmentBytes: number;
  windowBytes?: number;
}
