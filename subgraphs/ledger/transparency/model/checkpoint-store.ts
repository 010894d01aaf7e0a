import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';
import { keysetQuery, type ListWindow } from '../../../../shared/db/keyset.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import { shortText } from '../../../../shared/json/short-text.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type {
  CheckpointRow,
  ExaminedCheckpoint,
  IncarnationRow,
  RejectCheckpoint,
  TenantCheckpoints,
} from '../ports/tree-store.js';
import { CHECKPOINT_COLLECTION, INCARNATION_COLLECTION } from './collections.js';

interface Stored {
  readonly _id: string;
  readonly tenant_id: string;
  readonly pending?: readonly PendingEffect[];
}
type StoredCheckpoint = Stored & Omit<CheckpointRow, 'checkpoint_id'>;
type StoredIncarnation = Stored & IncarnationRow;

/** Checkpoints and incarnations of one tenant; every filter starts with the tenant. */
export class MongoCheckpoints implements TenantCheckpoints {
  readonly #checkpoints: Collection<StoredCheckpoint>;
  readonly #incarnations: Collection<StoredIncarnation>;
  protected readonly tenantId: string;
  readonly #reject: RejectCheckpoint;

  constructor(db: Db, tenantId: string, reject: RejectCheckpoint) {
    this.#checkpoints = db.collection<StoredCheckpoint>(CHECKPOINT_COLLECTION);
    this.#incarnations = db.collection<StoredIncarnation>(INCARNATION_COLLECTION);
    this.tenantId = tenantId;
    this.#reject = reject;
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

  latestCosigned(incarnation: number): Promise<CheckpointRow | null> {
    return this.#one({ incarnation, witnesses: { $ne: [] } }, { tenant_id: -1, number: -1 });
  }

  checkpointOfNote(incarnation: number, note: string): Promise<CheckpointRow | null> {
    return this.#one({ incarnation, worm_sha256: sha256Hex(note) });
  }

  async checkpoints(window: ListWindow): Promise<readonly CheckpointRow[]> {
    const page = keysetQuery('published_at', window);
    const filter = { $and: [{ tenant_id: this.tenantId }, page.filter] };
    const found = await this.#checkpoints
      .find(filter, { projection: { pending: 0 } })
      .sort(page.sort)
      .limit(page.fetch)
      .batchSize(page.fetch)
      .toArray();
    return Promise.all(found.map((stored) => this.#rowOf(stored)));
  }

  async examined(after: number | null, limit: number): Promise<readonly ExaminedCheckpoint[]> {
    const numbered = { number: { $gt: after ?? 0, $lte: Number.MAX_SAFE_INTEGER } };
    const find = (filter: Filter<StoredCheckpoint>) =>
      this.#checkpoints
        .find({ tenant_id: this.tenantId, ...filter }, { projection: { pending: 0 }, batchSize: limit + 1 })
        .sort({ tenant_id: 1, number: 1 })
        .limit(limit)
        .toArray();
    const strays = after === null ? await find({ $nor: [numbered] }) : [];
    return [...strays, ...(await find(numbered))].map(examinedRow);
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
    if (found === null || INCARNATION_FORM.safeParse(found).success) return found;
    return this.#reject(
      this.tenantId,
      `incarnation ${shortText(found.incarnation)}`,
      'the form of the stored incarnation',
    );
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
    return found && this.#rowOf(found);
  }

  /** @throws INTEGRITY_FAILURE for a row with a value of a wrong type. */
  async #rowOf(stored: StoredCheckpoint): Promise<CheckpointRow> {
    const examined = examinedRow(stored);
    if (examined.row !== null) return examined.row;
    return this.#reject(this.tenantId, examined.key, `the form of the stored checkpoint: ${examined.field}`);
  }
}

/** Tenant ids hold no spaces, so that no two rows share an id. */
export const incarnationId = (tenantId: string, incarnation: number): string => `${tenantId} ${incarnation}`;

function examinedRow({ _id, tenant_id: _, pending: __, ...members }: StoredCheckpoint): ExaminedCheckpoint {
  const row = { checkpoint_id: _id, ...members };
  const { success, error } = CHECKPOINT_FORM.safeParse(row);
  if (success) return { number: row.number, row };
  const field = shortText(error.issues[0]?.path[0] ?? '_id');
  return {
    number: Number.isSafeInteger(row.number) ? row.number : null,
    row: null,
    key: shortText(_id),
    field: field === 'checkpoint_id' ? '_id' : field,
  };
}

const CHECKPOINT_FORM = z.object({
  checkpoint_id: z.string().refine((id) => isIdOf('checkpoint', id)),
  number: z.int().positive(),
  incarnation: z.int().positive(),
  origin: z.string(),
  tree_size: z.int().nonnegative(),
  root_hash: z.string(),
  key_id: z.string(),
  note: z.string(),
  witnesses: z.array(z.string()),
  worm_sha256: z.string(),
  published_at: z.date(),
});

const INCARNATION_FORM = z.object({
  incarnation: z.int().positive(),
  declaration_id: z.string(),
  reason: z.string(),
  declared_by: z.string(),
  declared_at: z.date(),
  previous: z
    .object({
      checkpoint_id: z.string(),
      incarnation: z.int().positive(),
      tree_size: z.int().nonnegative(),
      root_hash: z.string(),
    })
    .nullable(),
  tree_size: z.int().nonnegative(),
});

async function inserted<T extends Stored>(collection: Collection<T>, document: T): Promise<boolean> {
  try {
    await collection.insertOne(document as Parameters<Collection<T>['insertOne']>[0]);
    return true;
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
    return false;
  }
}
