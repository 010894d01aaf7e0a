import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RecordStore, type RecordStoreDeps, type RecordStoreOptions } from '../../../shared/records/record-store.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import { type DataRight, isOpen, OPEN_STATUSES } from './domain.js';
import type {
  DataRightEffect,
  DataRightStore,
  DueDataRight,
  DueDataRights,
  StoredDataRight,
  TenantDataRights,
} from './ports.js';
import { DATA_RIGHT_FACTS, DATA_RIGHT_ROW } from './schema/index.js';

export const DATA_RIGHTS_COLLECTION = declareCollection(
  'data_rights',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, right: 1 }],
  // For the job over all tenants.
  [{ status: 1, deadline: 1 }],
  [{ status: 1, next_look_at: 1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

const OPEN = { $in: [...OPEN_STATUSES] };

class DataRightRecords
  extends RecordStore<StoredDataRight, DataRightEffect | PendingEffect>
  implements TenantDataRights
{
  pageOf(
    overdue: { readonly wanted: boolean; readonly now: Date } | null,
    query: ListQuery<StoredDataRight>,
  ): Promise<Page<StoredDataRight>> {
    if (overdue === null) return this.page(query);
    const late = { status: OPEN, deadline: { $lt: overdue.now } };
    const inTime = { $or: [{ status: { $nin: [...OPEN_STATUSES] } }, { deadline: { $gte: overdue.now } }] };
    return this.pageWhere(query, [overdue.wanted ? late : inTime]);
  }

  async membersAsking(rights: readonly DataRight[]): Promise<readonly string[]> {
    // Deletions depend on it: a request with an edited or removed row stops them.
    const asking = (await this.everyRow()).filter(({ status, right }) => isOpen(status) && rights.includes(right));
    return [...new Set(asking.map(({ member_id }) => member_id))];
  }

  async scheduleCheck(id: string, at: Date | null): Promise<void> {
    await this.documents.updateOne(this.one(id), { $set: { next_look_at: at } }, { writeConcern: DURABLE });
  }
}

/** Requests by tenant. */
export function dataRightStore(deps: RecordStoreDeps): DataRightStore {
  const options: RecordStoreOptions<StoredDataRight, DataRightEffect | PendingEffect> = {
    collection: DATA_RIGHTS_COLLECTION,
    id: 'data_right_id',
    check: DATA_RIGHT_ROW,
    facts: DATA_RIGHT_FACTS,
  };
  verifiesRows(deps, options);
  return (tenantId) => new DataRightRecords(deps, options, tenantId);
}

/** Requests of one run of the job; the next run continues. */
const MAX_DUE = 1_000;

interface DueRow {
  readonly _id: string;
  readonly tenant_id: TenantId;
}

export function dueDataRights(db: Db): DueDataRights {
  const rows = db.collection<DueRow>(DATA_RIGHTS_COLLECTION.name);
  const find = async (filter: object, sort: Record<string, 1>): Promise<readonly DueDataRight[]> => {
    const due = await rows
      .find(filter, { projection: { tenant_id: 1 } })
      .sort(sort)
      .limit(MAX_DUE)
      .toArray();
    return due.map(({ _id, tenant_id }) => ({ id: _id, tenant_id }));
  };
  return {
    overdue: (now) => find({ status: OPEN, deadline: { $lt: now }, is_overdue_told: false }, { deadline: 1 }),
    toContinue: (now) => find({ status: 'IN_PROGRESS', next_look_at: { $lte: now } }, { next_look_at: 1 }),
  };
}
