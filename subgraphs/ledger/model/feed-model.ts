import type { Collection, Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Outbox, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type {
  FeedEffect,
  FeedQuery,
  FeedRow,
  FeedStore,
  FeedWrite,
  HeardSigns,
  TenantFeeds,
} from '../service/ports/feed-store.js';

export const FEED_COLLECTION = 'source_feeds';

/** Steps kept beside the feed; all of them stand in the ledger. */
const HISTORY_STEPS = 50;

export const feedSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    source_system: { type: String, required: true },
    format: String,
    description: String,
    expected_interval_seconds: { type: Number, required: true },
    grace_seconds: { type: Number, required: true },
    status: { type: String, required: true },
    /** Absent once it is deleted: a source system has one feed that is not. */
    active: Boolean,
    watched_from: { type: Date, required: true },
    last_heartbeat_at: Date,
    last_event_at: Date,
    due_at: { type: Date, required: true },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: [Schema.Types.Mixed],
    pending: [Schema.Types.Mixed],
  },
  { collection: FEED_COLLECTION, versionKey: false, autoIndex: false },
);
feedSchema.index({ tenant_id: 1, source_system: 1 }, { unique: true, partialFilterExpression: { active: true } });
feedSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
feedSchema.index({ status: 1, due_at: 1, tenant_id: 1 });
feedSchema.index(...PENDING_INDEX);

interface FeedDocument extends Omit<FeedRow, 'feed_id'> {
  readonly _id: string;
  readonly active?: true;
  readonly pending: readonly FeedEffect[];
}

const rowOf = ({ _id, active: _, pending: __, ...rest }: FeedDocument): FeedRow => ({ ...rest, feed_id: _id });

/** Feeds by tenant over the driver's collection; every filter of a tenant's begins with the tenant. */
export function mongoFeedStore(db: Db, outbox: Outbox<FeedEffect>): FeedStore {
  const rows = db.collection<FeedDocument>(FEED_COLLECTION);
  return {
    forTenant: (tenantId) => new MongoTenantFeeds(rows, outbox, tenantId),
    tenantsToJudge: async (nowMs) =>
      (await rows.distinct('tenant_id', { $or: judged(nowMs) } as Filter<FeedDocument>)) as TenantId[],
  };
}

/** A healthy feed past its deadline, and every stale one. */
const judged = (nowMs: number): readonly Record<string, unknown>[] => [
  { status: 'HEALTHY', due_at: { $lt: new Date(nowMs) } },
  { status: 'STALE' },
];

class MongoTenantFeeds implements TenantFeeds {
  readonly #rows: Collection<FeedDocument>;
  readonly #outbox: Outbox<FeedEffect>;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<FeedDocument>, outbox: Outbox<FeedEffect>, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(feedId: string): Promise<FeedRow | null> {
    const found = await this.#rows.findOne({ ...this.#one(feedId), active: true });
    return found && rowOf(found);
  }

  async list(query: FeedQuery): Promise<readonly FeedRow[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['status', 'source_system', 'format'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    const filter = { $and: [{ tenant_id: this.#tenantId, active: true }, ...filters, page.filter] };
    const cursor = this.#rows.find(filter as Filter<FeedDocument>).sort(page.sort);
    return (await cursor.limit(page.fetch).toArray()).map(rowOf);
  }

  async *toJudge(nowMs: number): AsyncGenerator<FeedRow> {
    const filter = { tenant_id: this.#tenantId, $or: judged(nowMs) } as Filter<FeedDocument>;
    for await (const found of this.#rows.find(filter)) yield rowOf(found);
  }

  async insert({ feed: { feed_id, ...rest }, step, pending }: FeedWrite): Promise<FeedRow | null> {
    const document = { ...rest, _id: feed_id, active: true as const, history: [step], pending };
    try {
      await this.#rows.insertOne(document, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { feed_id, ...rest, history: [step] };
  }

  async replace({ feed, step, pending }: FeedWrite, standing: FeedRow): Promise<FeedRow | null> {
    const { feed_id, ...rest } = feed;
    const { revision, last_heartbeat_at, last_event_at } = standing;
    const changed = await this.#rows.findOneAndUpdate(
      { ...this.#one(feed_id), active: true, revision, last_heartbeat_at, last_event_at },
      {
        $set: rest,
        ...(feed.status === 'DELETED' ? { $unset: { active: true } } : {}),
        $push: { history: { $each: [step], $slice: -HISTORY_STEPS }, pending: { $each: [...pending] } },
      } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed && rowOf(changed);
  }

  async heard(feedId: string, signs: HeardSigns): Promise<void> {
    await this.#rows.updateOne({ ...this.#one(feedId), active: true }, { $max: signs } as never, {
      writeConcern: DURABLE,
    });
  }

  relay({ feed, pending }: FeedWrite): Promise<void> {
    return this.#outbox.relay(FEED_COLLECTION, feed.feed_id, pending as FeedEffect[]);
  }

  #one(feedId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: feedId, tenant_id: this.#tenantId };
  }
}
