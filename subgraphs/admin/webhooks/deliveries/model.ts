import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../../../shared/db/database.js';
import { keysetQuery } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { dueAt, QUEUE_MEMBERS } from '../../../../shared/jobs/work-queue.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import { insertNew } from '../model/unordered-insert.js';
import { DELIVERY_MACHINE } from './domain/delivery.js';
import type { DeliveryCell, DeliveryDimension } from './domain/groups.js';
import type {
  DeliveryQuery,
  DeliveryStore,
  DeliveryWindow,
  NewDelivery,
  TenantDeliveries,
  WebhookDelivery,
} from './ports.js';

/** Deliveries are stored as long as their messages. */
const DELIVERY_KEPT_SECONDS = 30 * 24 * 60 * 60;

/** shared/jobs declares the indexes of the queue. `_id` identifies webhook and message of a scheduled delivery. */
export const DELIVERY_COLLECTION = declareCollection(
  'webhook_deliveries',
  [{ webhook_id: 1, created_at: -1, _id: -1 }],
  // Only failures: an index over every status would change with every attempt.
  [{ webhook_id: 1, status: 1, created_at: -1, _id: -1 }, { partialFilterExpression: { status: 'FAILED' } }],
  [{ created_at: 1 }, { expireAfterSeconds: DELIVERY_KEPT_SECONDS }],
);

const DAY = { $dateToString: { date: '$created_at', format: '%Y-%m-%d' } } as const;

const [CREATED] = DELIVERY_MACHINE.rows;

/** Deliveries by tenant; every filter starts with the tenant. */
export function deliveryStore(db: Db): DeliveryStore {
  const rows = db.collection<WebhookDelivery>(DELIVERY_COLLECTION.name);
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
    return this.#rows.findOne({ ...this.#of(webhookId), _id: deliveryId });
  }

  async page(webhookId: string, { where, ...query }: DeliveryQuery): Promise<Page<WebhookDelivery>> {
    const window = keysetQuery('created_at', query);
    const equal = Object.entries(where).map(([name, value]) => ({ [name]: value }));
    const rows = await this.#rows
      .find({ $and: [this.#of(webhookId), ...equal, window.filter] })
      .sort(window.sort)
      .limit(window.fetch)
      .toArray();
    return pageOf(rows, query.limit, ({ created_at, _id }) => ({ atMs: created_at.getTime(), id: _id }));
  }

  async cells(webhookId: string, { fromMs, toMs }: DeliveryWindow): Promise<readonly DeliveryCell[]> {
    const bounds = {
      ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
    };
    const span = Object.keys(bounds).length > 0 ? { created_at: bounds } : {};
    const found = await this.#rows
      .aggregate<Omit<DeliveryCell, DeliveryDimension> & { readonly _id: Pick<DeliveryCell, DeliveryDimension> }>([
        { $match: { ...this.#of(webhookId), ...span } },
        {
          $group: {
            _id: { type: '$type', status: '$status', trigger: '$trigger', day: DAY },
            count: { $sum: 1 },
            delivered: { $sum: { $cond: [{ $eq: ['$status', 'DELIVERED'] }, 1, 0] } },
            failed: { $sum: { $cond: [{ $eq: ['$status', 'FAILED'] }, 1, 0] } },
            attempts: { $sum: '$attempt' },
          },
        },
      ])
      .toArray();
    return found.map(({ _id, ...sums }) => ({ ..._id, ...sums }));
  }

  async insert(deliveries: readonly NewDelivery[]): Promise<number> {
    const documents = deliveries.map((delivery) => ({
      ...delivery,
      tenant_id: this.#tenantId,
      status: CREATED?.to ?? 'PENDING',
      attempt: 0,
      attempts: [],
      ...dueAt(delivery.created_at.getTime()),
    }));
    return insertNew(this.#rows, documents);
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
      })
      .project<Pick<WebhookDelivery, 'message_id'>>({ _id: 0, message_id: 1 })
      .toArray();
    return new Set(rows.map(({ message_id }) => message_id));
  }

  /** The process that holds a row is fenced out, so that the answer of its receiver changes nothing. */
  async cancelWaiting(webhookId: string): Promise<number> {
    const $unset = Object.fromEntries(QUEUE_MEMBERS.map((name) => [name, '' as const]));
    const { modifiedCount } = await this.#rows.updateMany(
      { ...this.#of(webhookId), status: { $in: ['PENDING', 'RETRY_SCHEDULED'] } },
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
      },
      { $set: { next_attempt_at: new Date(atMs) } },
      { writeConcern: DURABLE },
    );
    return modifiedCount;
  }

  #of(webhookId: string): { readonly tenant_id: TenantId; readonly webhook_id: string } {
    return { tenant_id: this.#tenantId, webhook_id: webhookId };
  }
}
