/** A place in the body. Offsets and numbers hold no personal data, so they are safe to show. */
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
  /** The hash of its normal form; absent where its bytes are in normal form. */
  contentSha256?: string;
}

/** An irregularity that does not stop reading. Messages name segments, elements and reasons, never a value. */
export interface AdapterWarning {
  code: string;
  message: string;
  segment?: string;
  element?: number;
  position?: Position;
  /** The source feed that agrees to this fault of its sender. */
  agreedBy?: string;
}
