import type { Collection, Db, Filter } from 'mongodb';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery, type ListWindow } from '../../../shared/db/keyset.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { CheckpointRow, IncarnationRow, TenantCheckpoints } from '../service/ports/tree-store.js';
import { CHECKPOINT_COLLECTION, INCARNATION_COLLECTION } from './tree-model.js';

interface Stored {
  readonly _id: string;
  readonly tenant_id: string;
  readonly pending?: readonly PendingEffect[];
}
type StoredCheckpoint = Stored & Omit<CheckpointRow, 'checkpoint_id'>;
type StoredIncarnation = Stored & IncarnationRow;

/** Checkpoints and incarnations of one tenant; every filter begins with the tenant. */
export class MongoCheckpoints implements TenantCheckpoints {
  readonly #checkpoints: Collection<StoredCheckpoint>;
  readonly #incarnations: Collection<StoredIncarnation>;
  protected readonly tenantId: string;

  constructor(db: Db, tenantId: string) {
    this.#checkpoints = db.collection<StoredCheckpoint>(CHECKPOINT_COLLECTION);
    this.#incarnations = db.collection<StoredIncarnation>(INCARNATION_COLLECTION);
    this.tenantId = tenantId;
  }

  latestCheckpoint(): Promise<CheckpointRow | null> {
    return this.#one({}, { tenant_id: -1, number: -1 });
  }

  checkpoint(checkpointId: string): Promise<CheckpointRow | null> {
    return this.#one({ _id: checkpointId });
  }

  checkpointOfSize(incarnation: number, treeSize: number): Promise<CheckpointRow | null> {
    return this.#one({ incarnation, tree_size: treeSize });
  }

  async checkpoints(window: ListWindow): Promise<readonly CheckpointRow[]> {
    const page = keysetQuery('published_at', window);
    const filter = { $and: [{ tenant_id: this.tenantId }, page.filter] } as Filter<StoredCheckpoint>;
    const found = await this.#checkpoints
      .find(filter, { projection: { pending: 0 } })
      .sort(page.sort)
      .limit(page.fetch)
      .batchSize(page.fetch)
      .toArray();
    return found.map(rowOf);
  }

  async noteHashes(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = { tenant_id: this.tenantId, worm_sha256: { $in: [...sha256s] } };
    const rows = await this.#checkpoints.find(filter, { projection: { worm_sha256: 1 } }).toArray();
    return new Set(rows.map(({ worm_sha256 }) => worm_sha256));
  }

  publish({ checkpoint_id, ...row }: CheckpointRow, pending: readonly PendingEffect[]): Promise<boolean> {
    return inserted(this.#checkpoints, { _id: checkpoint_id, tenant_id: this.tenantId, ...row, pending });
  }

  async latestIncarnation(): Promise<IncarnationRow | null> {
    const found = await this.#incarnations.findOne(
      { tenant_id: this.tenantId },
      { sort: { tenant_id: -1, incarnation: -1 }, projection: { _id: 0, tenant_id: 0, pending: 0 } },
    );
    return found;
  }

  declare(row: IncarnationRow, pending: readonly PendingEffect[]): Promise<boolean> {
    const _id = incarnationId(this.tenantId, row.incarnation);
    return inserted(this.#incarnations, { _id, tenant_id: this.tenantId, ...row, pending });
  }

  async #one(filter: Filter<StoredCheckpoint>, sort?: Readonly<Record<string, 1 | -1>>): Promise<CheckpointRow | null> {
    const found = await this.#checkpoints.findOne(
      { ...filter, tenant_id: this.tenantId },
      { projection: { pending: 0 }, ...(sort ? { sort } : {}) },
    );
    return found && rowOf(found);
  }
}

/** Tenant ids hold no spaces, so that no two rows share an id. */
export const incarnationId = (tenantId: string, incarnation: number): string => `${tenantId} ${incarnation}`;

function rowOf({ _id, tenant_id: _, pending: __, ...row }: StoredCheckpoint): CheckpointRow {
  return { checkpoint_id: _id, ...row };
}

async function inserted<T extends Stored>(collection: Collection<T>, document: T): Promise<boolean> {
  try {
    await collection.insertOne(document as Parameters<Collection<T>['insertOne']>[0]);
    return true;
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
    return false;
  }
}
