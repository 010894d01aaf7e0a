import type { Collection, Db, Filter } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { dueAt, QUEUE_MEMBERS } from '../../../shared/jobs/work-queue.js';
import { DELIVERY_MACHINE } from '../domain/webhook-delivery.js';
import type {
  DeliveryQuery,
  DeliveryStore,
  NewDelivery,
  TenantDeliveries,
  WebhookDelivery,
} from '../service/ports/delivery-store.js';

export const DELIVERY_COLLECTION = 'webhook_deliveries';

/** As long as the messages that they speak of. */
const DELIVERY_KEPT_SECONDS = 30 * 24 * 60 * 60;

// Indexes are declared here, those of the queue in shared/jobs; rows are written by the driver, several for each event.
// `_id` says which subscription and message a scheduled row is of (domain/webhook-delivery.ts): no other index need do so.
const DELIVERY_SCHEMA = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    webhook_id: { type: String, required: true },
    message_id: { type: String, required: true },
    type: { type: String, required: true },
    trigger: { type: String, required: true },
    status: { type: String, required: true },
    attempt: { type: Number, required: true },
    attempts: [{ at: Date, status: Number, duration_ms: Number, error: String }],
    created_at: { type: Date, required: true },
  },
  { collection: DELIVERY_COLLECTION, versionKey: false, autoIndex: false },
);
DELIVERY_SCHEMA.index({ webhook_id: 1, created_at: -1, _id: -1 });
// Failures are looked for among what was delivered; a status that changes with every attempt would cost each of them.
DELIVERY_SCHEMA.index(
  { webhook_id: 1, status: 1, created_at: -1, _id: -1 },
  { partialFilterExpression: { status: 'FAILED' } },
);
DELIVERY_SCHEMA.index({ created_at: 1 }, { expireAfterSeconds: DELIVERY_KEPT_SECONDS });

export const deliveryModel = (connection: Connection): Model<unknown> =>
  (connection.models['WebhookDelivery'] as Model<unknown> | undefined) ??
  (connection.model('WebhookDelivery', DELIVERY_SCHEMA) as unknown as Model<unknown>);

const [CREATED] = DELIVERY_MACHINE.rows;

/** Deliveries by tenant; every filter begins with the tenant. */
export function deliveryStore(db: Db): DeliveryStore {
  const rows = db.collection<WebhookDelivery>(DELIVERY_COLLECTION);
  return (tenantId) => new MongoTenantDeliveries(rows, tenantId);
}

class MongoTenantDeliveries implements TenantDeliveries {
  readonly #rows: Collection<WebhookDelivery>;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<WebhookDelivery>, tenantId: TenantId) {
    this.#rows = rows;
    this.#tenantId = tenantId;
  }

  get(webhookId: string, deliveryId: string): Promise<WebhookDelivery | null> {
    return this.#rows.findOne({ ...this.#of(webhookId), _id: deliveryId } as Filter<WebhookDelivery>);
  }

  async list(webhookId: string, query: DeliveryQuery): Promise<readonly WebhookDelivery[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['status', 'type', 'trigger'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    return this.#rows
      .find({ $and: [this.#of(webhookId), ...filters, page.filter] } as Filter<WebhookDelivery>)
      .sort(page.sort)
      .limit(page.fetch)
      .toArray();
  }

  async insert(deliveries: readonly NewDelivery[]): Promise<number> {
    if (deliveries.length === 0) return 0;
    const documents = deliveries.map((delivery) => ({
      ...delivery,
      tenant_id: this.#tenantId,
      status: CREATED?.to ?? 'PENDING',
      attempt: 0,
      attempts: [],
      ...dueAt(delivery.created_at.getTime()),
    }));
    try {
      const { insertedCount } = await this.#rows.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      return insertedCount;
    } catch (error) {
      return insertedDespite(error);
    }
  }

  async settledOrWaiting(
    webhookId: string,
    messageIds: readonly string[],
    sinceMs: number,
  ): Promise<ReadonlySet<string>> {
    const rows = await this.#rows
      .find({
        ...this.#of(webhookId),
        created_at: { $gte: new Date(sinceMs) },
        message_id: { $in: [...messageIds] },
        status: { $in: ['PENDING', 'RETRY_SCHEDULED', 'DELIVERED'] },
      } as Filter<WebhookDelivery>)
      .project<Pick<WebhookDelivery, 'message_id'>>({ _id: 0, message_id: 1 })
      .toArray();
    return new Set(rows.map(({ message_id }) => message_id));
  }

  /** Whoever holds a row is fenced out: what its receiver answers changes nothing any more. */
  async cancelWaiting(webhookId: string): Promise<number> {
    const $unset = Object.fromEntries(QUEUE_MEMBERS.map((name) => [name, '' as const]));
    const { modifiedCount } = await this.#rows.updateMany(
      { ...this.#of(webhookId), status: { $in: ['PENDING', 'RETRY_SCHEDULED'] } } as Filter<WebhookDelivery>,
      { $set: { status: 'CANCELLED' }, $unset },
      { writeConcern: DURABLE },
    );
    return modifiedCount;
  }

  async hastenWaiting(webhookId: string, atMs: number): Promise<number> {
    const { modifiedCount } = await this.#rows.updateMany(
      {
        ...this.#of(webhookId),
        next_attempt_at: { $exists: true, $gt: new Date(atMs) },
        attempts: { $not: { $elemMatch: { at: { $gte: new Date(atMs) } } } },
      } as Filter<WebhookDelivery>,
      { $set: { next_attempt_at: new Date(atMs) } },
      { writeConcern: DURABLE },
    );
    return modifiedCount;
  }

  #of(webhookId: string): { readonly tenant_id: TenantId; readonly webhook_id: string } {
    return { tenant_id: this.#tenantId, webhook_id: webhookId };
  }
}

/** @returns how many of an unordered insert were new; the others were there. @throws for any other reason. */
function insertedDespite(error: unknown): number {
  const { writeErrors, result } = error as {
    readonly writeErrors?: unknown;
    readonly result?: { readonly insertedCount?: number };
  };
  const all = Array.isArray(writeErrors) ? writeErrors : [error];
  if (!all.every((each) => duplicateKeyOf(each) !== undefined)) throw error;
  return result?.insertedCount ?? 0;
}
