/**
 * What a format adapter is: detect, split, map. An adapter reads the bytes of one body as they stream in and gives items,
 * one for each thing found. It is pure but for the bytes: no clock, no ids, no storage. A new format is one folder beside
 * this file and one line in `registry.ts`.
 */

/** The contract's envelope. The service adds `payload.raw_sha256` (known only at the end of the body) and validates. */
export interface EnvelopeDraft {
  event_family: string;
  event_type: string;
  source_system: string;
  source_record_id: string;
  event_effective_timestamp: string;
  member_id?: string;
  outcome?: string;
  payload: Record<string, unknown>;
}

/** Where in the body something stands. Offsets and numbers are safe to show: they carry nothing personal. */
export interface Position {
  byteOffset: number;
  /** Counted through the whole body, from 1. */
  segmentNumber: number;
  /** Counted from the transaction's header, from 1; absent outside a transaction. */
  transactionPosition?: number;
}

/** The byte range of the body that an item was read from. */
export interface Part {
  offset: number;
  length: number;
  sha256: string;
}

/** Something worth knowing that stopped nothing. Messages name segments, elements and reasons, never a value. */
export interface AdapterWarning {
  code: string;
  message: string;
  segment?: string;
  element?: number;
  position?: Position;
}

/** One event. `index` counts the body's parts (events and refused ones) from 0, in the order they were read. */
export interface EventItem {
  kind: 'event';
  index: number;
  envelope: EnvelopeDraft;
  part: Part;
  position: Position;
  warnings: AdapterWarning[];
  /** True where the effective time is the time of receipt, so that the same bytes posted again are the same event. */
  duplicateKeyOmitsTime: boolean;
}

/** A part of the body that gives no event. With `exceptionKind`, the service opens an exception of that kind for it. */
export interface RefusedItem {
  kind: 'refused';
  index: number;
  code: string;
  message: string;
  exceptionKind?: ExceptionKind;
  /** What was refused: a transaction's type (`271`), or `claim`, `interchange`. */
  item: string;
  /** The transaction or wrapper that is refused as a whole, where strict reading does that. */
  whole?: 'transaction' | 'group' | 'interchange';
  segment?: string;
  element?: number;
  position?: Position;
  part?: Part;
}

/** Something to open an exception for that refuses nothing. `index` names the event it is about, where there is one. */
export interface ExceptionItem {
  kind: 'exception';
  exceptionKind: ExceptionKind;
  code: string;
  message: string;
  index?: number;
  segment?: string;
  position?: Position;
  part?: Part;
  detail?: Record<string, unknown>;
}

/** The end of one transaction: its counts, and what is the same for all of its events. */
export interface TransactionItem {
  kind: 'transaction';
  transaction: string;
  version: string;
  controlNumbers: Record<string, string>;
  position: Position;
  segmentCount: number;
  /** Events and refused parts read from it. */
  accepted: number;
  refused: number;
  /** False where the trailer is missing or the body was cut. */
  complete: boolean;
  warnings: AdapterWarning[];
  /** What an acknowledgement needs of its header (X12: `set_id`, `implementation`). */
  header?: Record<string, string>;
  /** X12 835: payment, balance and provider-level adjustments (PLB). */
  detail?: Record<string, unknown>;
}

/** The end of a wrapper around transactions (X12 group or interchange, HL7 message or batch): what an acknowledgement needs of it. */
export interface WrapperItem {
  kind: 'wrapper';
  level: 'group' | 'interchange' | 'message';
  header: Record<string, string>;
  position: Position;
  declaredCount: string | null;
  count: number;
  complete: boolean;
  warnings: AdapterWarning[];
}

export type AdapterItem = EventItem | RefusedItem | ExceptionItem | TransactionItem | WrapperItem;

/** The kinds of api.md that an adapter can see the reason for. */
export type ExceptionKind = 'PARSE_FAILED' | 'UNKNOWN_MEMBER' | 'REMITTANCE_UNBALANCED';

export interface AdapterLimits {
  /** A longer segment is dropped and reported, so that a body without terminators cannot fill the memory. */
  segmentBytes: number;
  /** Strict reading holds an interchange until its trailer is checked; a longer one is refused. */
  strictHoldBytes: number;
  /** Chunks are gathered to this size before they are looked at; 32 KiB when left out. */
  windowBytes?: number;
}

export const defaultAdapterLimits: AdapterLimits = { segmentBytes: 1024 * 1024, strictHoldBytes: 64 * 1024 * 1024 };

export interface AdapterOptions {
  /** What the caller sent; without it the adapter takes the sender named by the body. */
  sourceSystem?: string;
  /** True refuses what the sender's own acknowledgement would reject; false reads on and warns. */
  strict: boolean;
  /** ISO 8601 UTC; the effective time of what carries no date of its own. */
  receivedAt: string;
  /** IANA zone of times that carry none; UTC by default. */
  tenantTimeZone?: string;
  limits: AdapterLimits;
}

/** What became of an event. */
export interface ItemOutcome {
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  /** Why it was rejected: a code and a sentence without any value of the event. */
  readonly code?: string;
  readonly message?: string;
}

/** The answer that the sender's own system waits for. */
export interface Acknowledgement {
  readonly format: string;
  readonly mediaType: string;
  readonly text: string;
}

/** Builds an acknowledgement from the items of one body, in constant memory. */
export interface Acknowledger {
  /** Every item, in the order they were read; an event comes with what became of it. */
  take(item: AdapterItem, outcome?: ItemOutcome): void;
  /** How many control numbers `finish` takes, 0 when it will give nothing; one where it is left out. */
  count?(): number;
  /** Null when the sender waits for none. `controlNumber` is new: digits, nine at most, and the first of `count`. */
  finish(about: { nowIso: string; controlNumber: string }): Acknowledgement | null;
}

export interface FormatAdapter {
  readonly format: 'x12' | 'hl7v2' | 'fhir' | 'ncpdp';
  /** True when a body that begins with these bytes is of this format. 4 KiB are enough. */
  detect(head: Uint8Array): boolean;
  /** Reads a body of any length in constant memory. Never throws for what the bytes hold. */
  read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncIterable<AdapterItem>;
  /** For the items of one body; absent where the format knows no acknowledgement. */
  acknowledger?(about: { readonly strict: boolean }): Acknowledger;
}
