import type { Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { ChangeStore, KeptChange } from '../service/ports/change-store.js';
import type { MemberChange } from '../service/ports/member-store.js';

export const MEMBER_CHANGE_COLLECTION = 'member_changes';

/** `_id` is the id of the effect that kept it: kept again it is the same row. */
interface ChangeDocument extends MemberChange {
  readonly _id: string;
  readonly tenant_id: TenantId;
}

export const memberChangeSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: { type: String, required: true } },
  { collection: MEMBER_CHANGE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
memberChangeSchema.index({ tenant_id: 1, member_id: 1, at: -1, _id: -1 });

const keptOf = ({ _id, tenant_id: _, ...change }: ChangeDocument): KeptChange => ({ ...change, change_id: _id });

/** The history of members, by tenant. */
export function changeStore(db: Db): ChangeStore {
  const rows = db.collection<ChangeDocument>(MEMBER_CHANGE_COLLECTION);
  return (tenantId) => ({
    async keep(changeId, change) {
      const row = { tenant_id: tenantId, ...change };
      await rows.updateOne({ _id: changeId, tenant_id: tenantId }, { $setOnInsert: row } as never, {
        upsert: true,
        writeConcern: DURABLE,
      });
    },
    async list(memberId, query) {
      const page = keysetQuery('at', query);
      const filter = { $and: [{ tenant_id: tenantId, member_id: memberId }, page.filter] } as Filter<ChangeDocument>;
      const found = await rows.find(filter).sort(page.sort).limit(page.fetch).toArray();
      return found.map((row) => keptOf(row as ChangeDocument));
    },
  });
}
