// What raw ingest asks of a format adapter. The formats' own side, with all that an adapter may say, is
// adapters/adapter.ts; that it fits here is checked where the two meet (index.ts).

export interface Position {
  readonly byteOffset: number;
  readonly segmentNumber: number;
  readonly transactionPosition?: number;
}

export interface AdapterWarning {
  readonly code: string;
  readonly message: string;
  readonly segment?: string;
  readonly element?: number;
  readonly position?: Position;
}

export interface EventItem {
  readonly kind: 'event';
  readonly index: number;
  readonly envelope: { readonly source_record_id: string; readonly payload: Readonly<Record<string, unknown>> };
  readonly part: { readonly length: number };
  readonly position: Position;
  readonly warnings: readonly AdapterWarning[];
  readonly duplicateKeyOmitsTime: boolean;
}

type PartExceptionKind = 'PARSE_FAILED' | 'UNKNOWN_MEMBER' | 'REMITTANCE_UNBALANCED';

export interface RefusedItem {
  readonly kind: 'refused';
  readonly index: number;
  readonly code: string;
  readonly message: string;
  readonly exceptionKind?: PartExceptionKind;
  readonly item: string;
  readonly segment?: string;
  readonly element?: number;
  readonly position?: Position;
}

export interface ExceptionItem {
  readonly kind: 'exception';
  readonly exceptionKind: PartExceptionKind;
  readonly code: string;
  readonly message: string;
  readonly index?: number;
  readonly segment?: string;
  readonly position?: Position;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface TransactionItem {
  readonly kind: 'transaction';
  readonly transaction: string;
  readonly controlNumbers: Readonly<Record<string, string>>;
  readonly warnings: readonly AdapterWarning[];
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface WrapperItem {
  readonly kind: 'wrapper';
  /** `interchange`, `group` or `message`: which header it is. */
  readonly level?: string;
  /** Its `sender`, `receiver` and `control_number`, as sent. */
  readonly header?: Readonly<Record<string, string>>;
  readonly warnings: readonly AdapterWarning[];
}

export type AdapterItem = EventItem | RefusedItem | ExceptionItem | TransactionItem | WrapperItem;

export interface AdapterLimits {
  readonly segmentBytes: number;
  readonly strictHoldBytes: number;
}

export interface AdapterOptions {
  readonly sourceSystem?: string;
  readonly strict: boolean;
  /** ISO 8601 UTC; the effective time of what carries no date of its own. */
  readonly receivedAt: string;
  readonly limits: AdapterLimits;
}

/** What became of an event. */
export interface ItemOutcome {
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly code?: string;
  readonly message?: string;
}

/** Builds the answer that the sender's own system waits for. */
export interface Acknowledger {
  /** Every item, in the order they were read; an event comes with what became of it. */
  take(item: AdapterItem, outcome?: ItemOutcome): void;
  /** How many numbers the answer needs; one where it is not told. */
  count?(): number;
  finish(about: {
    readonly nowIso: string;
    readonly controlNumber: string;
  }): { readonly format: string; readonly mediaType: string; readonly text: string } | null;
}

export interface FormatAdapter {
  /** Absent where the format knows no acknowledgement. */
  acknowledger?(about: { readonly strict: boolean }): Acknowledger;
  /** Reads a body of any length in constant memory. Never throws for what the bytes hold. */
  read(chunks: AsyncIterable<Uint8Array>, options: AdapterOptions): AsyncIterable<AdapterItem>;
}
