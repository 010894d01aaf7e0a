import type { Collection } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { BlobRemover, type RemovalDeps } from './blobs/removal.js';
import type { BlobRow } from './blobs/tenant-blobs.js';
import type { HoldFlags } from './objects/hold-flags.js';
import type { RecordDocument } from './records/document.js';
import type { RecordMedium } from './records/medium.js';
import type { SegmentDirectory, SegmentRow, SegmentSeal } from './segments/directory.js';
import { isSegmentName, RECORD_OVERHEAD_BYTES } from './segments/names.js';
import type { WormIndex } from './worm-index.js';
import type { WormRecord, WormTenant } from './worm-store.js';

/** Hash and size of a stored blob, for walks. */
export interface BlobName {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * Operations of sealing, scrub and verification on one tenant's write-once store. Walks go by hash and also return damaged
 * records; the caller verifies them.
 */
export interface WormUpkeep {
  /** Legal hold flags of the objects; null if the driver has none. */
  readonly holdFlags: HoldFlags | null;
  /** Lists all segments, oldest first. */
  segments(): Promise<readonly SegmentRow[]>;
  /** Marks open segments of earlier quarters as full, and dates full segments without a time. */
  closeEarlierQuarters(): Promise<void>;
  /** Returns the first `limit` records of a segment after that hash, in hash order. */
  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]>;
  /** Returns every copy under this name in segments that are not dropped, also damaged ones. */
  copiesOf(sha256: string): Promise<readonly RecordDocument[]>;
  /**
   * Stores a record again that is missing, or whose copies are damaged, and whose bytes the caller has proven. Sealed
   * segments stay as they are. An open segment that holds a damaged copy takes no further records, because a segment
   * holds a name once. The new copy has the legal hold flags of the others.
   */
  restoreRecord(record: WormRecord): Promise<void>;
  /** Returns the first `limit` hashes of a segment after that one, in order. */
  names(segment: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** Stores a seal for a full segment. @returns the stored seal, which may be an earlier one */
  freezeSeal(segment: string, seal: SegmentSeal): Promise<SegmentSeal>;
  /** Marks a segment as SEALED, after the ledger has its sealing entry. */
  markSealed(segment: string): Promise<void>;
  /**
   * Deletes a sealed segment with its records, under the retention credential. Its row and seal remain. The caller has already
   * copied the records to keep and written the ledger entry that accounts for the deletion.
   */
  dropSegment(segment: string): Promise<void>;
  /**
   * Deletes a blob under the retention credential, unless the same bytes were stored again recently.
   *
   * @param isNeeded called when no writer can reuse the stored bytes any more; true keeps them
   * @returns true if the blob is gone
   */
  dropBlob(sha256: string, isNeeded: () => Promise<boolean>): Promise<boolean>;
  /** Returns the first `limit` blobs after that hash, in hash order. */
  blobs(after: string | null, limit: number): Promise<readonly BlobName[]>;
  /** Returns the total bytes of all blobs, for pacing. */
  blobBytes(): Promise<number>;
}

/** Greater than every hash. */
const AFTER_ALL_HASHES = 'g';

interface UpkeepDeps extends RemovalDeps {
  readonly flags: HoldFlags | null;
  readonly records: RecordMedium;
  readonly directory: SegmentDirectory;
  readonly index: WormIndex;
}

export class TenantUpkeep implements WormUpkeep {
  readonly holdFlags: HoldFlags | null;
  readonly #records: RecordMedium;
  readonly #directory: SegmentDirectory;
  readonly #index: WormIndex;
  readonly #tenant: WormTenant;
  readonly #blobs: Collection<BlobRow>;
  readonly #retention: RemovalDeps['retention'];
  readonly #remover: BlobRemover;

  constructor({ records, directory, index, flags, ...removal }: UpkeepDeps, tenant: WormTenant) {
    const { db } = removal;
    this.holdFlags = flags;
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

  async copiesOf(sha256: string): Promise<readonly RecordDocument[]> {
    const copies: RecordDocument[] = [];
    for (const segment of await this.#present()) copies.push(...(await this.#records.find(segment, [sha256])));
    return copies;
  }

  async restoreRecord(record: WormRecord): Promise<void> {
    const { logId } = this.#tenant;
    for (const segment of await this.#present()) {
      if ((await this.#records.present(segment, [record.sha256])).length > 0) await this.#directory.markFull(segment);
    }
    const room = { records: 1, bytes: record.bytes.length + RECORD_OVERHEAD_BYTES };
    const { segment } = await this.#directory.reserve(logId, room, room);
    const holds = (await this.holdFlags?.holdsOver(record.sha256)) ?? [];
    await this.#records.insert(segment, [record]);
    for (const hold of holds) await this.holdFlags?.set(hold, { records: [record.sha256], contents: [] });
  }

  async #present(): Promise<readonly string[]> {
    const { logId } = this.#tenant;
    const rows = await this.#directory.list(logId);
    return rows.flatMap(({ _id, state }) => (state !== 'DROPPED' && isSegmentName(_id, logId) ? [_id] : []));
  }

  async freezeSeal(segment: string, seal: SegmentSeal): Promise<SegmentSeal> {
    // Fills the index before the segment is sealed, because look-ups use it from then on.
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
    const id = (sha256: string): BlobRow['_id'] => ({ tenant_id: this.#tenant.tenantId, sha256 });
    const rows = await this.#blobs
      .find({ _id: { $gt: id(after ?? ''), $lt: id(AFTER_ALL_HASHES) } }, { projection: { size: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return rows.map(({ _id, size }) => ({ sha256: _id.sha256, sizeBytes: size }));
  }

  async blobBytes(): Promise<number> {
    const id = (sha256: string): BlobRow['_id'] => ({ tenant_id: this.#tenant.tenantId, sha256 });
    const [sum] = await this.#blobs
      .aggregate<{ bytes: number }>([
        { $match: { _id: { $gt: id(''), $lt: id(AFTER_ALL_HASHES) } } },
        { $group: { _id: null, bytes: { $sum: '$size' } } },
      ])
      .toArray();
    return sum?.bytes ?? 0;
  }
}
