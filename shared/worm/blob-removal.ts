import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock/clock.js';
import { DURABLE } from '../db/database.js';
import { encodeTime, ID_PREFIXES, type Ids, idTimeMs } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import type { BlobMedium } from './blob-medium.js';
import type { BlobRow } from './tenant-blobs.js';

// Taking stored bytes away while others may store the same bytes (docs/adr/0038). Who finds them stored writes a claim and then
// reads the row again; who takes them away marks the row and then looks for claims: at least one of the two sees the other.
// The row goes only while it bears the remover's own mark, so that of two removers the slower one does nothing.

/** Bytes that somebody stored or found stored stay this long: the record that shall refer to them is written by then. */
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
  /** The same database under the credential that alone may take away. */
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
    const _id = { tenant_id: this.#tenantId as string, sha256 };
    const mark = this.#deps.ids.next('blob');
    const row = await this.#marked.findOneAndUpdate({ _id }, { $set: { doomed_by: mark } }, durable);
    if (row === null) return true;
    const own = { _id, doomed_by: mark };
    if (this.#isYoung(row.file_id) || (await this.#isClaimed(sha256)) || (await isNeeded())) {
      await this.#marked.updateOne(own, { $unset: { doomed_by: '' } }, durable);
      return false;
    }
    // The row first: no reader then meets half of the content. What a crash leaves of the rest is an upload without a row.
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
 * Removes uploads that never became a blob: older than a claim's life, and no row names them. They are of nobody and nothing
 * refers to them. @param fromMs ids made before it were looked at already. @returns how many went.
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
