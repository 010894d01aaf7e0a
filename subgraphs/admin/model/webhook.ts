import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { WebhookHealth } from '../domain/webhook.js';
import type { AdminEffect } from '../service/ports/admin-effects.js';
import type { Insertion, TenantWebhooks, WebhookRecord, WebhookStore } from '../service/ports/webhook-store.js';
import { FailureNotes, type Failures, HealthNotes } from './webhook-health.js';

export const WEBHOOK_COLLECTION = 'webhooks';

/** `_id` is the webhook_id. What there is none of in `health` is absent: `$min` sets what is not there. */
export interface WebhookDocument extends Omit<WebhookRecord, 'webhook_id' | 'health'> {
  readonly _id: string;
  readonly health: Partial<Omit<WebhookHealth, 'consecutive_failures'>> & { readonly consecutive_failures: number };
  readonly pending: readonly AdminEffect[];
  /** One of so many that a tenant has; given back with the deletion. */
  readonly place?: number;
}

const HEALTH_SCHEMA = new Schema(
  {
    consecutive_failures: { type: Number, required: true },
    first_failure_at: { type: Date },
    last_failure_at: { type: Date },
    last_success_at: { type: Date },
    warned_at: { type: Date },
  },
  { _id: false, strict: 'throw' },
);

const WEBHOOK_SCHEMA = new Schema<WebhookDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    url: { type: String, required: true },
    description: { type: String, default: null },
    event_types: { type: [String], required: true },
    source_systems: { type: [String], default: null } as never,
    status: { type: String, required: true },
    suspension_reason: { type: String, default: null },
    health: { type: HEALTH_SCHEMA, required: true } as never,
    throttle_per_second: { type: Number, default: null },
    max_in_flight: { type: Number, required: true },
    wrapped_secret: { type: String, default: '' },
    former_secrets: { type: [Schema.Types.Mixed], default: [] } as never,
    ledger_from: { type: [Schema.Types.Mixed], default: [] } as never,
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    last_enabled_at: { type: Date, required: true },
    work_id: { type: String, default: null },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
    place: { type: Number },
  },
  { collection: WEBHOOK_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
WEBHOOK_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
WEBHOOK_SCHEMA.index({ tenant_id: 1, status: 1 });
WEBHOOK_SCHEMA.index(
  { tenant_id: 1, place: 1 },
  { unique: true, partialFilterExpression: { place: { $exists: true } } },
);
WEBHOOK_SCHEMA.index({ 'former_secrets.until': 1 }, { sparse: true });
WEBHOOK_SCHEMA.index(...PENDING_INDEX);

export type WebhookModel = Model<WebhookDocument>;

export const webhookModel = (connection: Connection): WebhookModel =>
  (connection.models['Webhook'] as WebhookModel | undefined) ??
  connection.model<WebhookDocument>('Webhook', WEBHOOK_SCHEMA);

const recordOf = ({ _id, pending: _, place: __, health, ...rest }: WebhookDocument): WebhookRecord => ({
  ...rest,
  webhook_id: _id,
  health: healthOf(health),
});

const healthOf = (stored: WebhookDocument['health']): WebhookHealth => ({
  consecutive_failures: stored.consecutive_failures,
  first_failure_at: stored.first_failure_at ?? null,
  last_failure_at: stored.last_failure_at ?? null,
  last_success_at: stored.last_success_at ?? null,
  warned_at: stored.warned_at ?? null,
});

export function webhookStore(model: WebhookModel): WebhookStore {
  const notes = new HealthNotes();
  const failures = new FailureNotes((webhookId: string, noted: Failures) => {
    notes.failure(webhookId);
    return writeFailures(model, webhookId, noted);
  });
  return {
    insert: (webhook, pending, most) => insertWebhook(model, webhook, pending, most),
    forTenant: (tenantId) => webhooksOfTenant(model, tenantId),
    async byId(webhookId) {
      const found = await model.findById(webhookId).lean<WebhookDocument>().exec();
      return found && recordOf(found);
    },
    async eraseFormerSecrets(at) {
      const over = { until: { $lte: at } };
      await model
        .updateMany({ 'former_secrets.until': { $lte: at } }, { $pull: { former_secrets: over } } as never)
        .exec();
    },
    async active(tenantId) {
      const rows = await model.find({ tenant_id: tenantId, status: 'ACTIVE' }).lean<WebhookDocument[]>().exec();
      return rows.map(recordOf);
    },
    async standing(tenantId) {
      const filter = { tenant_id: tenantId, status: { $ne: 'DELETED' } } as const;
      return (await model.find(filter).lean<WebhookDocument[]>().exec()).map(recordOf);
    },
    async tenantIds() {
      return (await model.distinct('tenant_id', { status: { $ne: 'DELETED' } }).exec()) as TenantId[];
    },
    async noteSuccess(webhookId, at) {
      if (!notes.success(webhookId, at.getTime())) return true;
      const unwarned = { _id: webhookId, 'health.warned_at': { $exists: false } } as const;
      const { matchedCount } = await model.updateOne(unwarned, successAt(at)).exec();
      return matchedCount === 1;
    },
    async noteRelief(webhookId, at, pending) {
      const warned = { _id: webhookId, 'health.warned_at': { $exists: true } } as const;
      const update = { ...successAt(at), $push: { pending: { $each: pending } } } as Record<string, unknown>;
      const { matchedCount } = await model.updateOne(warned, update).exec();
      return matchedCount === 1;
    },
    async warn(webhookId, failingSince, at, pending) {
      const failing = { 'health.first_failure_at': failingSince, 'health.warned_at': { $exists: false } };
      const update = { $set: { 'health.warned_at': at }, $push: { pending: { $each: pending } } };
      const { matchedCount } = await model
        .updateOne({ _id: webhookId, status: 'ACTIVE', ...failing }, update as Record<string, unknown>)
        .exec();
      return matchedCount === 1;
    },
    noteFailure: (webhookId, at) => failures.add(webhookId, at),
  };
}

/** Takes the first free place; who loses it to another looks again. */
async function insertWebhook(
  model: WebhookModel,
  { webhook_id, health: { consecutive_failures }, ...rest }: WebhookRecord,
  pending: readonly AdminEffect[],
  most: number,
): Promise<Insertion> {
  for (;;) {
    const held = { tenant_id: rest.tenant_id, place: { $exists: true } };
    const taken = new Set(await model.distinct('place', held).exec());
    const place = Array.from({ length: most }, (_, n) => n).find((each) => !taken.has(each));
    if (place === undefined) return 'full';
    try {
      await model.create({ _id: webhook_id, ...rest, health: { consecutive_failures }, pending, place });
      return 'made';
    } catch (error) {
      const duplicate = duplicateKeyOf(error);
      if (duplicate === undefined) throw error;
      if (!duplicate.fields.includes('place')) return 'taken';
    }
  }
}

async function writeFailures(
  model: WebhookModel,
  webhookId: string,
  { count, first, last }: Failures,
): Promise<WebhookHealth | null> {
  const noted = await model
    .findOneAndUpdate(
      { _id: webhookId },
      {
        $inc: { 'health.consecutive_failures': count },
        $min: { 'health.first_failure_at': first },
        $max: { 'health.last_failure_at': last },
      },
      { returnDocument: 'after' },
    )
    .lean<WebhookDocument>()
    .exec();
  return noted && healthOf(noted.health);
}

const NO_FAILURES = { $unset: { 'health.first_failure_at': '', 'health.warned_at': '' } } as const;

const successAt = (at: Date) => ({
  $set: { 'health.consecutive_failures': 0 },
  $max: { 'health.last_success_at': at },
  ...NO_FAILURES,
});

function webhooksOfTenant(model: WebhookModel, tenantId: TenantId): TenantWebhooks {
  const there = { tenant_id: tenantId, status: { $ne: 'DELETED' } } as const;
  return {
    async get(webhookId) {
      const found = await model
        .findOne({ ...there, _id: webhookId })
        .lean<WebhookDocument>()
        .exec();
      return found && recordOf(found);
    },
    async list({ status, url, ...window }) {
      const page = keysetQuery('created_at', window);
      const filters = [...(status === undefined ? [] : [{ status }]), ...(url === undefined ? [] : [{ url }])];
      const rows = await model
        .find({ $and: [there, ...filters, page.filter] })
        .sort(page.sort)
        .limit(page.fetch)
        .lean<WebhookDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async change(webhookId, { revision, set, clearFailures = false, pending }) {
      const update = {
        $set: { ...set, ...(clearFailures ? { 'health.consecutive_failures': 0 } : {}) },
        $push: { pending: { $each: pending } },
        $unset: { ...(clearFailures ? NO_FAILURES.$unset : {}), ...(set.status === 'DELETED' ? { place: '' } : {}) },
      } as Record<string, unknown>;
      const changed = await model
        .findOneAndUpdate({ ...there, _id: webhookId, revision }, update, { returnDocument: 'after' })
        .lean<WebhookDocument>()
        .exec();
      return changed && recordOf(changed);
    },
    async attach(webhookId, pending) {
      const update = { $push: { pending: { $each: pending } } } as Record<string, unknown>;
      const { matchedCount } = await model.updateOne({ tenant_id: tenantId, _id: webhookId, status: 'ACTIVE' }, update);
      return matchedCount === 1;
    },
  };
}
