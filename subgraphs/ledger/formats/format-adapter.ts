/**
 * The port that every format implements. An adapter reads the bytes of one body as a stream and yields one item per
 * thing it finds. It has no clock, no identifiers and no storage. A new format is one folder next to this file and one
 * line in `index.ts`. Each format takes the same path:
 *
 * 1. sniff: `domain.ts` detects the format by the first bytes.
 * 2. split: bytes into segments, messages, records, documents or resources
 *    (`x12/envelope/tokenizer`, `hl7v2/message/splitter`, `fhir/json/splitter`, `ncpdp/{telecom,script}/…-splitter`).
 * 3. read: parts and the wrappers around them (`x12/envelope/interchange-reader`, elsewhere `reader`).
 * 4. map: one part to one event (`x12/item-mapper` with a folder per transaction set, elsewhere `map…`).
 * 5. emit: `emit.ts` counts events and rejections and adds `payload.raw`; `acknowledge…` answers from the items.
 */

import type { Agreement } from './agreed-faults.js';
import type { RawFormat } from './domain.js';
import type { AdapterWarning, Part, Position } from './values/positions.js';

export type { AdapterWarning, Part, Position };

/** The contract's envelope. Ingest adds `payload.raw_sha256`, known only at the end of the body, and validates. */
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

/** A document inside a message. Ingest stores its bytes in the vault, attached to the event. */
export interface AttachedDocument {
  readonly bytes: Uint8Array;
  /** As stated, or by the first bytes. */
  readonly mediaType: string;
  /** '' if the message names none. */
  readonly filename: string;
  readonly title?: string;
}

/** One event. `index` counts the body's events and rejected parts from 0, in reading order. */
export interface EventItem {
  kind: 'event';
  index: number;
  envelope: EnvelopeDraft;
  part: Part;
  position: Position;
  warnings: AdapterWarning[];
  /** True if the effective time is the time of receipt, so that the same bytes posted again are the same event. */
  duplicateKeyOmitsTime: boolean;
  documents?: readonly AttachedDocument[];
}

/** A part of the body that yields no event. Ingest opens an exception of kind `exceptionKind` if present. */
export interface RefusedItem {
  kind: 'refused';
  index: number;
  code: string;
  message: string;
  exceptionKind?: ExceptionKind;
  /** The rejected thing: a transaction's type (`271`), or `claim`, `interchange`. */
  item: string;
  /** The transaction or wrapper that strict reading rejects as a whole. */
  whole?: 'transaction' | 'group' | 'interchange';
  segment?: string;
  element?: number;
  position?: Position;
  part?: Part;
}

/** A reason for an exception that rejects nothing. `index` names the event it concerns, if any. */
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

/** The end of one transaction: its counts and the facts that all of its events share. */
export interface TransactionItem {
  kind: 'transaction';
  transaction: string;
  version: string;
  controlNumbers: Record<string, string>;
  position: Position;
  segmentCount: number;
  /** Events and rejected parts read from it. */
  accepted: number;
  refused: number;
  /** False if the trailer is missing or the body was cut. */
  complete: boolean;
  warnings: AdapterWarning[];
  /** The header members that an acknowledgement needs (X12: `set_id`, `implementation`). */
  header?: Record<string, string>;
  /** X12 835: payment, balance and provider-level adjustments (PLB). */
  detail?: Record<string, unknown>;
}

/**
 * The end of a wrapper around transactions (X12 group or interchange, HL7 message or batch), for the acknowledgement.
 */
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

/** The exception kinds of api.md that an adapter can detect. */
export type ExceptionKind = 'PARSE_FAILED' | 'UNKNOWN_MEMBER' | 'REMITTANCE_UNBALANCED';

export interface AdapterLimits {
  /** The reader drops and reports a longer segment, so that a body without terminators cannot fill the memory. */
  segmentBytes: number;
  /** Strict reading holds an interchange until it has checked the trailer, and rejects a longer one. */
  strictHoldBytes: number;
  /** Chunks are gathered to this size before they are scanned; default 32 KiB. */
  windowBytes?: number;
}

export const DEFAULT_ADAPTER_LIMITS: AdapterLimits = { segmentBytes: 1024 * 1024, strictHoldBytes: 64 * 1024 * 1024 };

export interface AdapterOptions {
  /** The caller's value. Without it the adapter uses the sender named in the body. */
  sourceSystem?: string;
  /** True rejects everything that the sender's own acknowledgement would reject; false continues and warns. */
  strict: boolean;
  /** ISO 8601 UTC; the effective time of a part without a date. */
  receivedAt: string;
  /** IANA zone of times without a zone; default UTC. */
  tenantTimeZone?: string;
  /** The faults that are agreed with the sender of a source system (X12). */
  agreementOf?: (sourceSystem: string) => Agreement | null;
  limits: AdapterLimits;
}

/** The result of storing one event. */
export interface ItemOutcome {
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  /** The reason for a rejection: a code and a sentence without any value of the event. */
  readonly code?: string;
  readonly message?: string;
}

/** The acknowledgement that the sender's system expects. */
export interface Acknowledgement {
  readonly format: string;
  readonly mediaType: string;
  readonly text: string;
}

/** Builds an acknowledgement from the items of one body, in constant memory. */
export interface Acknowledger {
  /** Takes every item in reading order; an event comes with its outcome. */
  take(item: AdapterItem, outcome?: ItemOutcome): void;
  /** How many control numbers `finish` uses: 0 if it returns null; 1 if this method is absent. */
  count?(): number;
  /**
   * Returns null if the sender expects no acknowledgement. `controlNumber`: at most nine digits, the first of `count`
   * numbers.
   */
  finish(about: { nowIso: string; controlNumber: string }): Acknowledgement | null;
}

export interface FormatAdapter {
  readonly format: RawFormat;
  /** Reads a body of any length in constant memory. Never throws because of the body's content. */
  read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncIterable<AdapterItem>;
  /** Absent if the format has no acknowledgement. */
  acknowledger?(about: { readonly strict: boolean }): Acknowledger;
}
