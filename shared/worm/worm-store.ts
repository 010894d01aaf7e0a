import type { TenantId } from '../ids/tenant.js';
import type { WormUpkeep } from './worm-upkeep.js';

/** A tenant as the write-once store knows it: names of segments hold the opaque log id, never the tenant's own. */
export interface WormTenant {
  readonly tenantId: TenantId;
  readonly logId: string;
}

/** At most 1 MiB; larger content is a blob (evidence.md section 4). */
export const MAX_RECORD_BYTES = 1_048_576;
/** Blobs are hashed as a whole and by blocks, so that a Range can be checked without reading the rest. */
export const BLOB_BLOCK_BYTES = 1_048_576;

export interface WormRecord {
  /** Lower-case hex of H(bytes); the store re-computes nothing on write and everything on read. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export interface WormBlob {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** False when the tenant had the same bytes already. */
  readonly created: boolean;
}

/** Half-open byte range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PutOptions {
  /** The caller has only now made these bytes (they hold a new id), so the look-up for an earlier copy is skipped. */
  readonly fresh?: boolean;
}

export type WormFault = 'MISSING' | 'MISMATCH';

/** Blobs that are stored, in the order in which they were given. */
export interface StoredBlobs {
  readonly blobs: readonly WormBlob[];
  /** When their own records are durable in the segments too; whoever tells of them waits for it. */
  readonly recorded: Promise<void>;
}

/** What a check of a record found; `null` means the bytes are there and hash to their name. */
export interface WormCheck {
  readonly sha256: string;
  readonly fault: WormFault | null;
}

/**
 * Write-once storage of one tenant. There is no update and no delete. Reads re-hash, always: bytes that do not match
 * their name are never handed out (INTEGRITY_FAILURE).
 */
export interface TenantWorm {
  /** Durable when it resolves. Putting a record that is there already is not an error and adds nothing. */
  putRecords(records: readonly WormRecord[], options?: PutOptions): Promise<void>;
  /** The record's bytes, or null when there is none. @throws INTEGRITY_FAILURE */
  getRecord(sha256: string): Promise<Buffer | null>;
  /** The records' bytes without judging them, for verification: unlike getRecord it hands out what does not match. */
  readRecords(sha256s: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Which of these records are there, without reading them. */
  presentRecords(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Streams content in; commits when the last byte is stored and hashed. @throws PAYLOAD_TOO_LARGE */
  putBlob(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<WormBlob>;
  /** The same for contents of at most 1 MiB each, in one round of writes. @throws PAYLOAD_TOO_LARGE */
  putSmallBlobs(contents: readonly Uint8Array[]): Promise<StoredBlobs>;
  /** Size of a stored blob, or null. */
  blobSize(sha256: string): Promise<number | null>;
  /** Which of these blobs are stored. */
  presentBlobs(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Streams a blob out, each block checked before its bytes are yielded. @throws NOT_FOUND, INTEGRITY_FAILURE */
  readBlob(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;
  /** The same, where each piece is done with before the next is asked for: its memory is filled again after that. */
  lendBlob(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;
}

export interface WormStore {
  forTenant(tenant: WormTenant): TenantWorm;
  /** Ends background work (index rows not yet written). */
  close(): Promise<void>;
}

/** Where a store keeps its large contents, as it is told to another thread of the process. */
export interface BlobPlace {
  readonly uri: string;
  /** The write-once database. */
  readonly database: string;
  /** Of the files; null where contents lie in the database too. */
  readonly folder: string | null;
}

/** A store whose segments are sealed and walked from here. */
export interface KeptWormStore extends WormStore {
  /** For another thread of this process. */
  readonly blobPlace: BlobPlace;
  upkeepOf(tenant: WormTenant): WormUpkeep;
  /** Removes uploads of at least a day ago that never became a blob. @param fromMs older ones were looked at already. */
  removeOrphans(fromMs: number): Promise<number>;
}
