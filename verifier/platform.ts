// What the engine needs of the machine it runs on, so that the same code judges a bundle in Node, in the service and in a
// browser. It opens no file, no socket and no clock by itself.

/** The bytes of a bundle, wherever they lie. */
export interface Source {
  readonly sizeBytes: number;
  /**
   * Exactly `length` bytes from `offset` on; what is read past the end is an error of the caller.
   *
   * @param room of at least that length, where the bytes may be put; the caller then asks for no more before it is done.
   */
  read(offset: number, length: number, room?: Uint8Array): Promise<Uint8Array>;
}

export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Lower-case hex. */
  hex(): string;
}

export interface Platform {
  /** Of the bytes, or of the text's UTF-8; lower-case hex. */
  sha256Hex(data: Uint8Array | string): string;
  isUtf8(bytes: Uint8Array): boolean;
  sha256(data: Uint8Array): Uint8Array;
  startSha256(): RunningHash;
  /**
   * The same as `sha256Hex` of bytes, made beside what else is done; absent where the platform cannot. The bytes may change
   * once this has returned.
   */
  readonly sha256Aside?: (bytes: Uint8Array) => Promise<string>;
  /** CRC-32 of what came before and these bytes. */
  crc32(bytes: Uint8Array, before: number): number;
  /** RFC 8032, strictly: @param publicKey 32 bytes, @param signature 64 bytes. */
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /**
   * The signature of a time-stamp token by a trusted authority (`openssl ts -verify`); undefined where the platform
   * cannot tell.
   */
  verifyTimestamp?(data: Uint8Array, token: Uint8Array, authorities: Uint8Array): Promise<boolean | undefined>;
  /** Judges batches of records elsewhere (worker threads); absent: in line. */
  readonly records?: BatchJudge;
}

/** Fully disclosed records beside what stands about them elsewhere; all of known form, and in one order. */
export interface RecordBatch {
  /** Of events.jsonl, each ended by LF. */
  readonly lines: Uint8Array;
  /** Of ledger.tsv, each ended by LF. */
  readonly rows: Uint8Array;
  /** The hashes of the lines as the manifest says, end to end, in hex. */
  readonly hashes: Uint8Array;
  readonly tenantId: string;
}

/** What does not hold for a record of a batch; bits, so that a batch answers with a byte a record. */
export const COMMIT_FAULT = 1;
export const FIELDS_FAULT = 2;
export const NOT_CANONICAL = 4;
export const IDENTITY_FAULT = 8;
export const LINE_FAULT = 16;
export const HEADER_FAULT = 32;

export interface BatchJudge {
  /** The batch is the judge's from now on. */
  judge(batch: RecordBatch): Promise<Uint8Array>;
}
