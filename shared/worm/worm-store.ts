import type { WormBucket } from '../config/worm-bucket.js';
import type { TenantId } from '../ids/tenant.js';
import type { EpochKeySet } from './keys/epoch-keys.js';
import type { RecordDocument } from './records/document.js';
import type { WormUpkeep } from './worm-upkeep.js';

/** A tenant in the write-once store. Names of segments contain the opaque log id, never the tenant id. */
export interface WormTenant {
  readonly tenantId: TenantId;
  readonly logId: string;
}

/** At most 1 MiB; larger content is a blob (evidence.md section 4). */
export const MAX_RECORD_BYTES = 1_048_576;
/** Blobs are hashed as a whole and by block, so that a range can be verified without reading the rest. */
export const BLOB_BLOCK_BYTES = 1_048_576;

export interface WormRecord {
  /** Lower-case hex of H(bytes). The store does not re-hash on write and always re-hashes on read. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
  /**
   * SEED_BYTES random bytes of an entry, stored with its record, so that its commitments can be computed again
   * (docs/adr/0089-restoring-records.md). The name does not cover them. Absent for records of anything else.
   */
  readonly seed?: Uint8Array;
  /** True if bytes and seed are ciphertext (keys/sealed-records.ts). */
  readonly isSealed?: true;
}

export interface WormBlob {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** False if the tenant already had the same bytes. */
  readonly created: boolean;
}

/** Half-open byte range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PutOptions {
  /** Skips the look-up for an earlier copy, because the bytes are new (they contain a new id). */
  readonly fresh?: boolean;
}

/** Stored blobs in the order of the contents. */
export interface StoredBlobs {
  readonly blobs: readonly WormBlob[];
  /** Resolves when their records are durable in the segments too. The caller awaits it before it reports the blobs. */
  readonly recorded: Promise<void>;
}

/**
 * Write-once storage of one tenant, without update and delete. Reads of blobs re-hash: bytes that do not match their name are
 * never returned (INTEGRITY_FAILURE). The caller verifies records, because only the ledger proves their seeds.
 */
export interface TenantWorm {
  /** Stores records, durable when it resolves. Storing an existing record again is not an error and adds nothing. */
  putRecords(records: readonly WormRecord[], options?: PutOptions): Promise<void>;
  /** Returns the records by hash, without verification: the caller verifies bytes and seed. */
  readRecords(sha256s: readonly string[]): Promise<ReadonlyMap<string, RecordDocument>>;
  /** Returns the hashes that are stored, without reading the records. */
  presentRecords(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores a stream; commits when the last byte is stored and hashed. @throws PAYLOAD_TOO_LARGE */
  putBlob(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<WormBlob>;
  /** Stores contents of at most 1 MiB each in one round of writes. @throws PAYLOAD_TOO_LARGE */
  putSmallBlobs(contents: readonly Uint8Array[]): Promise<StoredBlobs>;
  /** Returns the size of a stored blob in bytes, or null. */
  blobSize(sha256: string): Promise<number | null>;
  /** Returns the hashes of these blobs that are stored. */
  presentBlobs(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Streams a blob; verifies each block before it yields the bytes. @throws NOT_FOUND, INTEGRITY_FAILURE */
  readBlob(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;
  /** Streams a blob like `readBlob`, but reuses the memory of a chunk when the caller asks for the next. */
  lendBlob(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;
}

export interface WormStore {
  forTenant(tenant: WormTenant): TenantWorm;
  /** Ends background work (index rows not yet written). */
  close(): Promise<void>;
}

/** Location of a store's large contents, for another thread of the process. */
export interface BlobPlace {
  readonly uri: string;
  /** The write-once database. */
  readonly database: string;
  /** Folder of the files; null if the contents are not in files. */
  readonly folder: string | null;
  /** Null if the contents are not in a bucket. */
  readonly bucket: WormBucket | null;
  /** Keys that wrap the keys of contents; null if none are given. */
  readonly epochKeys: EpochKeySet | null;
}

/** A store with the operations of sealing, scrub and retention. */
export interface KeptWormStore extends WormStore {
  /** For another thread of this process. */
  readonly blobPlace: BlobPlace;
  upkeepOf(tenant: WormTenant): WormUpkeep;
  /** True if its objects have legal hold flags; the other drivers have no such flag. */
  readonly hasHoldFlags: boolean;
  /** Deletes uploads at least a day old that never became a blob. @param fromMs epoch ms; older ones were checked before */
  removeOrphans(fromMs: number): Promise<number>;
}
