import { type Collection, type Db, MongoServerError } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { MergeEntry } from '../domain/members/merges.js';
import type { MembersEffect } from '../service/ports/member-effects.js';
import type { MergeStore, MergeWrite, TenantMerges } from '../service/ports/merge-store.js';

export const MERGE_COLLECTION = 'member_merges';

/** `_id` is `tenant_id/number`: two writers cannot both have the next one. */
interface MergeDocument extends MergeEntry {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly pending: readonly MembersEffect[];
}

export const mergeSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: MERGE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
mergeSchema.index({ tenant_id: 1, number: -1 });
mergeSchema.index({ tenant_id: 1, source_id: 1, number: 1 });
mergeSchema.index({ tenant_id: 1, target_id: 1, number: 1 });
mergeSchema.index(...PENDING_INDEX);

const idOf = (tenantId: TenantId, number: number): string => `${tenantId}/${number}`;

const entryOf = ({ _id, tenant_id: _, pending: __, ...entry }: MergeDocument): MergeEntry => entry;

export function mergeStore(db: Db, outbox: EffectRelay): MergeStore {
  const rows = db.collection<MergeDocument>(MERGE_COLLECTION);
  return (tenantId) => new MongoTenantMerges(rows, outbox, tenantId);
}

class MongoTenantMerges implements TenantMerges {
  readonly #rows: Collection<MergeDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<MergeDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async last(): Promise<number> {
    const [found] = await this.#rows.find({ tenant_id: this.#tenantId }).sort({ number: -1 }).limit(1).toArray();
    return found?.number ?? 0;
  }

  async after(number: number, limit: number): Promise<readonly MergeEntry[]> {
    // Numbers have no gaps: mostly there is no next one, and a look by its id says so.
    const next = { _id: idOf(this.#tenantId, number + 1), tenant_id: this.#tenantId };
    if ((await this.#rows.findOne(next, { projection: { _id: 1 } })) === null) return [];
    const filter = { tenant_id: this.#tenantId, number: { $gt: number } } as never;
    const found = await this.#rows
      .find(filter, { projection: { pending: 0 } })
      .sort({ number: 1 })
      .limit(limit)
      .toArray();
    return found.map((row) => entryOf(row as MergeDocument));
  }

  async naming(memberIds: readonly string[]): Promise<readonly MergeEntry[]> {
    const ids = [...memberIds];
    const of = (side: 'source_id' | 'target_id') =>
      this.#rows.find({ tenant_id: this.#tenantId, [side]: { $in: ids } } as never).toArray();
    const found = (await Promise.all([of('source_id'), of('target_id')])).flat() as MergeDocument[];
    const byNumber = new Map(found.map((row) => [row.number, entryOf(row)]));
    return [...byNumber.values()].sort((a, b) => a.number - b.number);
  }

  async append({ entry, pending }: MergeWrite): Promise<boolean> {
    const row = { _id: idOf(this.#tenantId, entry.number), tenant_id: this.#tenantId, ...entry, pending };
    try {
      await this.#rows.insertOne(row, { writeConcern: DURABLE });
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && duplicateKeyOf(error)) return false;
      throw error;
    }
  }

  relay({ entry, pending }: MergeWrite): Promise<void> {
    return this.#outbox.relay(MERGE_COLLECTION, idOf(this.#tenantId, entry.number), pending);
  }
}
