// The engine's needs of its platform, so that the same code verifies a bundle in Node, in the service and in a browser. The
// engine opens no file, no socket and no clock itself.

/** The bytes of a bundle in a file, in memory or in a store. */
export interface Source {
  readonly sizeBytes: number;
  /**
   * Reads exactly `length` bytes from `offset`; the caller must not read past the end.
   *
   * @param room buffer of at least that length to read into; the caller does not read again until it is done with it
   */
  read(offset: number, length: number, room?: Uint8Array): Promise<Uint8Array>;
}

export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Lower-case hex. */
  hex(): string;
}

export interface Platform {
  /** SHA-256 of the bytes, or of the text's UTF-8, in lower-case hex. */
  sha256Hex(data: Uint8Array | string): string;
  isUtf8(bytes: Uint8Array): boolean;
  sha256(data: Uint8Array): Uint8Array;
  startSha256(): RunningHash;
  /**
   * Computes `sha256Hex` of bytes in the background; absent if the platform cannot. The bytes may change after the call
   * returns.
   */
  readonly sha256Aside?: (bytes: Uint8Array) => Promise<string>;
  /** Continues a CRC-32 over these bytes. */
  crc32(bytes: Uint8Array, before: number): number;
  /** Verifies strictly by RFC 8032. @param publicKey 32 bytes @param signature 64 bytes */
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /**
   * Verifies the signature of a time-stamp token by a trusted authority (`openssl ts -verify`); undefined if the platform
   * cannot.
   */
  verifyTimestamp?(data: Uint8Array, token: Uint8Array, authorities: Uint8Array): Promise<boolean | undefined>;
  /** Verifies batches of records in worker threads; if absent, the engine verifies them itself. */
  readonly records?: BatchJudge;
}

/** Fully disclosed records with their ledger rows and hashes, all valid in form and in the same order. */
export interface RecordBatch {
  /** Lines of events.jsonl, each ended by LF. */
  readonly lines: Uint8Array;
  /** Rows of ledger.tsv, each ended by LF. */
  readonly rows: Uint8Array;
  /** The manifest's hashes of the lines, concatenated, in hex. */
  readonly hashes: Uint8Array;
  readonly tenantId: string;
}

/** Faults of a record as bits, so that the result of a batch is one byte per record. */
export const COMMIT_FAULT = 1;
export const FIELDS_FAULT = 2;
export const NOT_CANONICAL = 4;
export const IDENTITY_FAULT = 8;
export const LINE_FAULT = 16;
export const HEADER_FAULT = 32;

export interface BatchJudge {
  /** Takes ownership of the batch and returns one byte of fault bits per record. */
  judge(batch: RecordBatch): Promise<Uint8Array>;
}
