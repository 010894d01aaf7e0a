import type { AdapterWarning, Part, Position } from '../../adapter.js';
import type { TelecomHeader } from './header.js';
import type { Segment } from './segment.js';

/** The segments of one transaction, and where they stand in the body. */
export interface Group {
  readonly segments: readonly Segment[];
  readonly start: number;
  readonly end: number;
}

/** A transmission read into its header, what all transactions share, and one to four transactions. */
export interface Transmission {
  readonly header: TelecomHeader;
  /** Segments that hold for every transaction: patient and insurance, response message and insurance. */
  readonly shared: readonly Segment[];
  readonly groups: readonly Group[];
  readonly part: Part;
  readonly position: Position;
  /** 880-K5 of the batch record around it; '' outside a batch. */
  readonly batchReference: string;
  readonly segmentCount: number;
  /** Where segments of another transmission begin whose header was lost; null when none do. */
  readonly lost: { readonly start: number; readonly end: number; readonly position: Position } | null;
  /** True where the body or the frame ended inside it. */
  readonly cut: boolean;
  readonly warnings: AdapterWarning[];
}

export type Warn = (code: string, message: string, segment?: Segment) => void;

export function positionOf({ byteOffset, number, position }: Segment): Position {
  return { byteOffset, segmentNumber: number, transactionPosition: position };
}

/** Adds warnings of a reading to a list, each once a segment. */
export function warnInto(warnings: AdapterWarning[], position: Position): Warn {
  return (code, message, segment) => {
    const at = segment === undefined ? { position } : { segment: segment.id, position: positionOf(segment) };
    if (warnings.length >= warningsLimit) return;
    if (warnings.some((one) => one.code === code && one.message === message && one.segment === segment?.id)) return;
    warnings.push({ code, message, ...at });
  };
}

/** A transmission made of faults must not become a list of them. */
const warningsLimit = 50;
