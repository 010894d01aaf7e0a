import type { Collection, Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { type DataRight, OPEN_STATUSES } from '../domain/data-rights/data-right.js';
import type {
  DataRightListQuery,
  DataRightStore,
  DueDataRight,
  DueDataRights,
  StoredDataRight,
  TenantDataRights,
} from '../service/ports/data-right-store.js';
import { MongoStepped } from './stepped-repository.js';

export const DATA_RIGHT_COLLECTION = 'data_rights';

const ROW = { _id: { type: String, required: true }, tenant_id: { type: String, required: true } } as const;

/** Indexes are declared here; rows are read and written by the driver. */
export const dataRightSchema = new Schema(ROW, {
  collection: DATA_RIGHT_COLLECTION,
  versionKey: false,
  autoIndex: false,
  strict: false,
});
dataRightSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
dataRightSchema.index({ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 });
dataRightSchema.index({ tenant_id: 1, status: 1, right: 1 });
// The clock looks over all tenants.
dataRightSchema.index({ status: 1, deadline: 1 });
dataRightSchema.index({ status: 1, next_look_at: 1 });
dataRightSchema.index(...PENDING_INDEX);

type DataRightRow = Omit<StoredDataRight, 'id'> & { readonly _id: string };

const OPEN = { $in: [...OPEN_STATUSES] };

class MongoDataRights extends MongoStepped<StoredDataRight> implements TenantDataRights {
  readonly #rows: Collection<DataRightRow>;
  readonly #tenant: TenantId;

  constructor(db: Db, outbox: EffectRelay, tenantId: TenantId) {
    super(db, outbox, { collection: DATA_RIGHT_COLLECTION, tenantId });
    this.#rows = db.collection<DataRightRow>(DATA_RIGHT_COLLECTION);
    this.#tenant = tenantId;
  }

  list({ right, overdue, nowMs, ...query }: DataRightListQuery): Promise<readonly StoredDataRight[]> {
    const now = new Date(nowMs);
    const late = { status: OPEN, deadline: { $lt: now } };
    const inTime = { $or: [{ status: { $nin: [...OPEN_STATUSES] } }, { deadline: { $gte: now } }] };
    return this.page('created_at', query, [
      ...(right === undefined ? [] : [{ right }]),
      ...(overdue === undefined ? [] : [overdue ? late : inTime]),
    ]);
  }

  async membersAsking(rights: readonly DataRight[]): Promise<readonly string[]> {
    const filter = { tenant_id: this.#tenant, status: OPEN, right: { $in: [...rights] } } as Filter<DataRightRow>;
    return this.#rows.distinct('member_id', filter);
  }

  async lookAgainAt(id: string, at: Date | null): Promise<void> {
    const filter = { _id: id, tenant_id: this.#tenant };
    await this.#rows.updateOne(filter, { $set: { next_look_at: at } }, { writeConcern: DURABLE });
  }
}

export const dataRightStore =
  (db: Db, outbox: EffectRelay): DataRightStore =>
  (tenantId) =>
    new MongoDataRights(db, outbox, tenantId);

/** A round of the clock takes so many; the next one the others. */
const AT_ONCE = 1_000;

export function dueDataRights(db: Db): DueDataRights {
  const rows = db.collection<DataRightRow>(DATA_RIGHT_COLLECTION);
  const found = async (filter: Filter<DataRightRow>, sort: Record<string, 1>): Promise<readonly DueDataRight[]> => {
    const projection = { tenant_id: 1 };
    const due = await rows.find(filter, { projection }).sort(sort).limit(AT_ONCE).toArray();
    return due.map(({ _id, tenant_id }) => ({ id: _id, tenant_id }));
  };
  return {
    overdue: (now) =>
      found({ status: OPEN, deadline: { $lt: now }, is_overdue_told: false } as Filter<DataRightRow>, { deadline: 1 }),
    toLookAt: (now) => found({ status: 'IN_PROGRESS', next_look_at: { $lte: now } }, { next_look_at: 1 }),
  };
}
