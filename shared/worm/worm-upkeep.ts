import type { Collection } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { BlobRemover, type RemovalDeps } from './blob-removal.js';
import type { RecordDocument } from './record-document.js';
import type { RecordMedium } from './record-medium.js';
import type { SegmentDirectory, SegmentRow, SegmentSeal } from './segment-directory.js';
import type { BlobRow } from './tenant-blobs.js';
import type { WormIndex } from './worm-index.js';
import type { WormTenant } from './worm-store.js';

/** A stored blob by name, for walks. */
export interface BlobName {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * What sealing, scrub and verification ask of one tenant's write-once store. Walks go by hash and hand out what does not
 * match as well: whoever walks judges.
 */
export interface WormUpkeep {
  /** All segments, oldest first. */
  segments(): Promise<readonly SegmentRow[]>;
  /** Segments of earlier quarters take no more; notes since when each full one is full. */
  closeEarlierQuarters(): Promise<void>;
  /** The first `limit` records of a segment after that hash, in the order of their hashes. */
  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]>;
  /** The first `limit` hashes of a segment after that one, in order, without the bytes. */
  names(segment: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** Keeps a seal for a full segment; answers the one that stands, the given one or an earlier one. */
  freezeSeal(segment: string, seal: SegmentSeal): Promise<SegmentSeal>;
  /** Its entry is in the ledger. */
  markSealed(segment: string): Promise<void>;
  /**
   * Drops a sealed segment with all its records, under the retention credential. Its row stays, with the seal. What had to
   * stay was carried over before, and the entry that accounts for it stands.
   */
  dropSegment(segment: string): Promise<void>;
  /**
   * Takes a blob away, under the retention credential, unless somebody has stored the same bytes anew of late.
   *
   * @param isNeeded asked once nobody can take up the stored bytes any more: true keeps them.
   * @returns whether it is gone.
   */
  dropBlob(sha256: string, isNeeded: () => Promise<boolean>): Promise<boolean>;
  /** The first `limit` blobs after that hash, in the order of their hashes. */
  blobs(after: string | null, limit: number): Promise<readonly BlobName[]>;
  /** Bytes of all blobs, for pacing. */
  blobBytes(): Promise<number>;
}

/** Greater than every hash. */
const AFTER_ALL_HASHES = 'g';

export interface UpkeepDeps extends RemovalDeps {
  readonly records: RecordMedium;
  readonly directory: SegmentDirectory;
  readonly index: WormIndex;
}

export class TenantUpkeep implements WormUpkeep {
  readonly #records: RecordMedium;
  readonly #directory: SegmentDirectory;
  readonly #index: WormIndex;
  readonly #tenant: WormTenant;
  readonly #blobs: Collection<BlobRow>;
  readonly #retention: RemovalDeps['retention'];
  readonly #remover: BlobRemover;

  constructor({ records, directory, index, ...removal }: UpkeepDeps, tenant: WormTenant) {
    const { db } = removal;
    this.#records = records;
    this.#retention = removal.retention;
    this.#remover = new BlobRemover(removal, tenant.tenantId);
    this.#directory = directory;
    this.#index = index;
    this.#tenant = tenant;
    this.#blobs = db.collection<BlobRow>('blobs');
  }

  segments(): Promise<readonly SegmentRow[]> {
    return this.#directory.list(this.#tenant.logId);
  }

  closeEarlierQuarters(): Promise<void> {
    return this.#directory.closeEarlierQuarters(this.#tenant.logId);
  }

  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]> {
    return this.#records.records(segment, after, limit);
  }

  names(segment: string, after: string | null, limit: number): Promise<readonly string[]> {
    return this.#records.names(segment, after, limit);
  }

  async freezeSeal(segment: string, seal: SegmentSeal): Promise<SegmentSeal> {
    // The index stands before the segment rests: from then on look-ups go by it.
    await this.#index.fill(this.#tenant.tenantId, segment);
    return this.#directory.freezeSeal(segment, seal);
  }

  markSealed(segment: string): Promise<void> {
    return this.#directory.markSealed(segment);
  }

  async dropSegment(segment: string): Promise<void> {
    await this.#directory.markDropped(segment);
    await this.#records.drop(segment);
    await this.#retention.collection('worm_index').deleteMany({ segment }, { writeConcern: DURABLE });
    await this.#directory.markGone(segment);
  }

  dropBlob(sha256: string, isNeeded: () => Promise<boolean>): Promise<boolean> {
    return this.#remover.remove(sha256, isNeeded);
  }

  async blobs(after: string | null, limit: number): Promise<readonly BlobName[]> {
    const id = (sha256: string) => ({ tenant_id: this.#tenant.tenantId as string, sha256 });
    const rows = await this.#blobs
      .find({ _id: { $gt: id(after ?? ''), $lt: id(AFTER_ALL_HASHES) } }, { projection: { size: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return rows.map(({ _id, size }) => ({ sha256: _id.sha256, sizeBytes: size }));
  }

  async blobBytes(): Promise<number> {
    const id = (sha256: string) => ({ tenant_id: this.#tenant.tenantId as string, sha256 });
    const [sum] = await this.#blobs
      .aggregate<{ bytes: number }>([
        { $match: { _id: { $gt: id(''), $lt: id(AFTER_ALL_HASHES) } } },
        { $group: { _id: null, bytes: { $sum: '$size' } } },
      ])
      .toArray();
    return sum?.bytes ?? 0;
  }
}
