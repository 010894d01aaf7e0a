import type { WormBlob, WormTenant } from '../../../../shared/worm/worm-store.js';

/** One entry of a ZIP: bytes at hand, or read when their turn comes. */
export interface ArchiveEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Buffer | (() => AsyncIterable<Uint8Array>);
}

/** Bytes of a temporary file. */
export interface SpooledContent {
  /** Of the open file, as every thread of the process knows it. */
  readonly descriptor: number;
}

/** A content of the write-once store. */
export interface StoredContent {
  readonly sha256: string;
}

/** One entry of a sealed bundle, told by where its bytes lie: whoever stores it reads them himself. */
export interface SealedEntry {
  readonly path: string;
  readonly size: number;
  readonly content: Buffer | SpooledContent | StoredContent;
}

export interface ArchiveStore {
  /**
   * Stores the ZIP of these entries in the tenant's write-once store.
   *
   * @param told how many bytes have passed, now and then; what it throws ends the storing, and is thrown
   * @throws NOT_FOUND, INTEGRITY_FAILURE for a stored content
   */
  store(tenant: WormTenant, entries: readonly SealedEntry[], told: (bytes: number) => Promise<void>): Promise<WormBlob>;
}

/** README and verifiers, as they travel in every bundle. */
export interface VerifierFile {
  readonly path: string;
  readonly content: Buffer;
}
