import type { AdapterWarning, EnvelopeDraft, ExceptionItem, Part, Position } from '../adapter.js';
import type { Segment } from './segment.js';
import type { Separators } from './separators.js';

/** The headers a transaction stands under, as sent. */
export interface TransactionHeader {
  /** ST01. */
  setId: string;
  /** ST03, else GS08. */
  version: string;
  st03: string;
  gs08: string;
  interchangeControl: string;
  groupControl: string;
  transactionControl: string;
  sourceSystem: string;
  separators: Separators;
  position: Position;
}

export interface ReadingOptions {
  receivedAt: string;
  zone: string;
}

/** How a transaction ended: by its trailer or any later header, or with the body (`cut`: inside a segment of its own). */
export type TransactionEnd = 'closed' | 'body-ended' | 'cut';

export interface Refusal {
  code: string;
  message: string;
  segment?: string;
  element?: number;
  position: Position;
}

/** What a mapper may do beside reading segments. */
export interface TransactionContext {
  readonly header: TransactionHeader;
  readonly options: ReadingOptions;
  /** The byte after the terminator of the segment before this one. */
  previousEnd(): number;
  openPart(offset: number): void;
  closePart(endOffset: number): Part;
  /** Gives an event and returns its index. `envelope.payload.raw` is completed here. */
  event(draft: EventDraft): number;
  refuse(refusal: Refusal, part?: Part): void;
  exception(item: Omit<ExceptionItem, 'kind'>): void;
  /** A warning about the whole transaction. */
  warn(warning: AdapterWarning): void;
}

export interface EventDraft {
  envelope: EnvelopeDraft;
  /** What `payload.raw` names as the transaction, such as `837P`. */
  transaction: string;
  part: Part;
  position: Position;
  warnings: AdapterWarning[];
  duplicateKeyOmitsTime: boolean;
}

/** Maps the body of one transaction: every segment between ST and SE, then its end. */
export interface TransactionMapper {
  segment(segment: Segment): void;
  /** A segment of the transaction could not be read; what it belonged to is broken. */
  damaged(refusal: Refusal): void;
  end(how: TransactionEnd, endOffset: number): void;
  /** What the transaction's item says of it beyond its counts. Called after `end`. */
  summary(): { transaction: string; detail?: Record<string, unknown> };
}

export function positionOf(segment: Segment): Position {
  return segment.position === 0
    ? { byteOffset: segment.byteOffset, segmentNumber: segment.number }
    : { byteOffset: segment.byteOffset, segmentNumber: segment.number, transactionPosition: segment.position };
}
