import type { WormBlob, WormTenant } from '../../../shared/worm/worm-store.js';

/** Content of a temporary file. */
export interface SpooledContent {
  /** Descriptor of the open file, valid in every thread of the process. */
  readonly descriptor: number;
}

/** Content in the write-once store. */
export interface StoredContent {
  readonly sha256: string;
}

/** One entry of a sealed bundle, with the location of its bytes. */
export interface SealedEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Buffer | SpooledContent | StoredContent;
}

export interface ArchiveStore {
  /**
   * Stores the ZIP of the entries in the tenant's write-once store.
   *
   * @param onProgress gets the number of bytes written so far; an error that it throws ends the storing
   * @throws NOT_FOUND, INTEGRITY_FAILURE for stored content
   */
  store(
    tenant: WormTenant,
    entries: readonly SealedEntry[],
    onProgress: (bytes: number) => Promise<void>,
  ): Promise<WormBlob>;
}

/** The README and the verifiers of every bundle. */
export interface VerifierFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Size and hash of a temporary file. */
interface SpooledFacts {
  readonly size: number;
  readonly sha256: string;
}

/** A temporary file, written once and then read. */
export interface SpoolFile {
  write(text: string): Promise<void>;
  /** Ends writing. */
  finish(): Promise<SpooledFacts>;
  /** Reads from the beginning; may be repeated. */
  read(): AsyncIterable<Buffer>;
  /** Descriptor of the open file, valid in every thread of the process. */
  readonly descriptor: number;
}

/** The temporary files of one build. */
export interface SpoolFiles {
  next(): Promise<SpoolFile>;
  close(): Promise<void>;
}
