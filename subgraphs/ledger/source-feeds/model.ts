import type { Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/connection-options.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { RecordDocument } from '../../../shared/records/record-document.js';
import { RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import { AGREED_FAULTS, type AgreedFault } from '../formats/domain.js';
import type { AgreementsOn, FeedEffect, FeedRow, FeedSigns, FeedStore, TenantFeeds } from './ports.js';

export const FEEDS = declareCollection(
  'source_feeds',
  // A deleted feed has no `active`, so that its source system can have another one.
  [
    { tenant_id: 1, source_system: 1 },
    { unique: true, partialFilterExpression: { active: true } },
  ],
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ status: 1, due_at: 1, tenant_id: 1 }],
  PENDING_INDEX,
);

/** Steps kept in the row; the ledger keeps all of them. */
const KEPT_STEPS = 50;

export const feedStore = (deps: RecordStoreDeps, check: RowCheck): FeedStore => ({
  forTenant: (tenantId) =>
    new FeedRecords(
      deps,
      {
        collection: FEEDS,
        id: 'feed_id',
        check,
        keptLines: KEPT_STEPS,
        compared: ['last_heartbeat_at', 'last_event_at'],
        endsWhen: ({ status }) => status === 'DELETED',
      },
      tenantId,
    ),
  tenantsToSweep: (nowMs) =>
    deps.db.collection<RecordDocument>(FEEDS.name).distinct('tenant_id', { $or: lateOrStale(nowMs) }),
});

/** The agreements of a tenant with its senders of X12 that hold on a day. */
export const agreementsOf =
  (db: Db): AgreementsOn =>
  async (tenantId, day) => {
    const rows = await db
      .collection<AgreedRow>(FEEDS.name)
      .find(
        { tenant_id: tenantId, active: true, agreed_faults: { $in: [...AGREED_FAULTS] } },
        { projection: { source_system: 1, format: 1, agreed_faults: 1, agreed_from: 1, agreed_until: 1 } },
      )
      .toArray();
    const inForce = rows.filter(
      ({ format, agreed_from, agreed_until }) =>
        (format == null || format === 'x12') &&
        (agreed_from == null || agreed_from <= day) &&
        (agreed_until == null || day <= agreed_until),
    );
    return new Map(
      inForce.map((row) => [row.source_system, { feedId: row._id, faults: new Set<string>(row.agreed_faults) }]),
    );
  };

interface AgreedRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly active?: boolean;
  readonly source_system: string;
  readonly format?: string | null;
  readonly agreed_faults: readonly AgreedFault[];
  readonly agreed_from?: string | null;
  readonly agreed_until?: string | null;
}

const lateOrStale = (nowMs: number): Filter<RecordDocument>[] => [
  { status: 'HEALTHY', due_at: { $lt: new Date(nowMs) } },
  { status: 'STALE' },
];

class FeedRecords extends RecordStore<FeedRow, FeedEffect> implements TenantFeeds {
  async *toSweep(nowMs: number): AsyncGenerator<FeedRow> {
    const filter = { tenant_id: this.tenantId, $or: lateOrStale(nowMs) };
    for await (const found of this.documents.find(filter)) yield this.rowOf(found);
  }

  async noteSigns(feedId: string, signs: FeedSigns): Promise<void> {
    await this.documents.updateOne(this.one(feedId), { $max: { ...signs } }, { writeConcern: DURABLE });
  }
}
