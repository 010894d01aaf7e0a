import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../clock/clock.js';
import { DURABLE } from '../../db/database.js';
import { encodeTime, ID_PREFIXES, type Ids, idTimeMs } from '../../ids/ids.js';
import type { TenantId } from '../../ids/tenant.js';
import type { BlobMedium } from './medium.js';
import type { BlobRow } from './tenant-blobs.js';

// Deletes stored bytes while others may store the same bytes (docs/adr/0038). A writer that finds them stored writes a claim
// and then reads the row again. A remover marks the row and then looks for claims. At least one of the two sees the other.
// A remover deletes the row only while the row has its mark, so the slower of two removers does nothing.

/** Bytes stay this long after a store or a claim, which is enough to write the record that refers to them. */
export const CLAIM_LIFE_MS = 24 * 3_600_000;

export interface ClaimRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly sha256: string;
  readonly at: Date;
}

export const CLAIM_COLLECTION = 'blob_claims';

export interface RemovalDeps {
  readonly db: Db;
  /** The same database under the only credential that may delete. */
  readonly retention: Db;
  readonly blobs: Pick<BlobMedium, 'remove' | 'files'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Removes stored bytes of one tenant. */
export class BlobRemover {
  readonly #deps: RemovalDeps;
  readonly #tenantId: TenantId;
  readonly #marked: Collection<BlobRow>;
  readonly #claims: Collection<ClaimRow>;

  constructor(deps: RemovalDeps, tenantId: TenantId) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#marked = deps.retention.collection<BlobRow>('blobs');
    this.#claims = deps.db.collection<ClaimRow>(CLAIM_COLLECTION);
  }

  /** See WormUpkeep.dropBlob. */
  async remove(sha256: string, isNeeded: () => Promise<boolean>): Promise<boolean> {
    const durable = { writeConcern: DURABLE } as const;
    const _id: BlobRow['_id'] = { tenant_id: this.#tenantId, sha256 };
    const mark = this.#deps.ids.next('blob');
    const row = await this.#marked.findOneAndUpdate({ _id }, { $set: { doomed_by: mark } }, durable);
    if (row === null) return true;
    const own = { _id, doomed_by: mark };
    if (this.#isYoung(row.file_id) || (await this.#isClaimed(sha256)) || (await isNeeded())) {
      await this.#marked.updateOne(own, { $unset: { doomed_by: '' } }, durable);
      return false;
    }
    // Deletes the row first, so that no reader gets half of the content. A crash after it leaves an upload without a row.
    if ((await this.#marked.deleteOne(own, durable)).deletedCount === 0) return false;
    await this.#deps.blobs.remove(row.file_id);
    await this.#deps.retention.collection<ClaimRow>(CLAIM_COLLECTION).deleteMany({ tenant_id: this.#tenantId, sha256 });
    return true;
  }

  #isYoung(fileId: string): boolean {
    return idTimeMs(fileId) > this.#since();
  }

  async #isClaimed(sha256: string): Promise<boolean> {
    const filter = { tenant_id: this.#tenantId, sha256, at: { $gt: new Date(this.#since()) } };
    return (await this.#claims.findOne(filter)) !== null;
  }

  #since(): number {
    return this.#deps.clock.nowMs() - CLAIM_LIFE_MS;
  }
}

/**
 * Deletes uploads that never became a blob: they are older than a claim's life and no row names them.
 *
 * @param fromMs epoch milliseconds; older ids were checked before
 * @returns the number of deleted uploads
 */
export async function removeOrphans({ retention, blobs, clock }: RemovalDeps, fromMs: number): Promise<number> {
  const bound = (epochMs: number): string => `${ID_PREFIXES.blob}_${encodeTime(epochMs)}`;
  const rows = retention.collection<BlobRow>('blobs');
  let removed = 0;
  for await (const fileId of blobs.files(bound(fromMs), bound(clock.nowMs() - CLAIM_LIFE_MS))) {
    if ((await rows.findOne({ file_id: fileId }, { projection: { _id: 1 } })) !== null) continue;
    await blobs.remove(fileId);
    removed++;
  }
  return removed;
}
