import type { Document } from 'mongodb';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import { type RowDocument, RowStore, type RowStoreDeps } from '../../../../shared/records/row-store.js';
import type { AdminEffect } from '../../parts.js';
import type { WebhookHealth } from '../domain.js';
import type { WebhookOwner } from '../owner.js';
import type { Insertion, TenantWebhooks, WebhookRecord, WebhookStore } from '../ports.js';
import { FailureNotes, type Failures, HealthNotes } from './health.js';

export const WEBHOOK_COLLECTION = declareCollection(
  'webhooks',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1 }],
  [
    { tenant_id: 1, place: 1 },
    { unique: true, partialFilterExpression: { place: { $exists: true } } },
  ],
  [{ 'former_secrets.until': 1 }, { sparse: true }],
  PENDING_INDEX,
);

/** Members of `health` that are absent in a document while they have no value, because `$min` sets an absent member. */
type StoredHealth = Pick<WebhookHealth, 'consecutive_failures'> & {
  readonly [Name in Exclude<keyof WebhookHealth, 'consecutive_failures'>]?: Date;
};

const healthOf = ({ consecutive_failures, ...times }: StoredHealth | WebhookHealth): WebhookHealth => ({
  consecutive_failures,
  first_failure_at: times.first_failure_at ?? null,
  last_failure_at: times.last_failure_at ?? null,
  last_success_at: times.last_success_at ?? null,
  warned_at: times.warned_at ?? null,
});

/** `place` is one of the numbered places of a tenant; a deletion frees it. */
class WebhookRows extends RowStore<WebhookRecord, AdminEffect> {
  constructor(deps: RowStoreDeps, committed: (webhook: WebhookRecord) => void) {
    super(deps, {
      collection: WEBHOOK_COLLECTION,
      id: 'webhook_id',
      hidden: ['place'],
      sparse: ['created_by_actor'],
      committed,
    });
  }

  override rowOf(document: RowDocument): WebhookRecord {
    const row = super.rowOf(document);
    return { ...row, health: healthOf(row.health) };
  }
}

const EXISTING = { status: { $ne: 'DELETED' } } as const;
const NO_FAILURES = { 'health.first_failure_at': '', 'health.warned_at': '' } as const;

const successAt = (at: Date) => ({
  $set: { 'health.consecutive_failures': 0 },
  $max: { 'health.last_success_at': at },
  $unset: NO_FAILURES,
});

/** @param committed called after each commit, but not for changes of the health alone. */
export function webhookStore(deps: RowStoreDeps, committed: (webhook: WebhookRecord) => void): WebhookStore {
  const rows = new WebhookRows(deps, committed);
  const notes = new HealthNotes();
  const failures = new FailureNotes((webhookId: string, noted: Failures) => {
    notes.failure(webhookId);
    return writeFailures(rows, webhookId, noted);
  });
  return {
    insert: (webhook, pending, most) => insertWebhook(rows, webhook, pending, most),
    forTenant: (tenantId, owner = null) => webhooksOfTenant(rows, tenantId, owner),
    byId: (webhookId) => rows.findOne({ _id: webhookId }),
    async eraseFormerSecrets(at) {
      const expired = { until: { $lte: at } };
      // The driver knows no members of a RowDocument, so it cannot type $pull.
      const pull: Document = { $pull: { former_secrets: expired } };
      await rows.documents.updateMany({ 'former_secrets.until': { $lte: at } }, pull);
    },
    active: (tenantId) => rows.find({ tenant_id: tenantId, status: 'ACTIVE' }),
    existing: (tenantId) => rows.find({ tenant_id: tenantId }, EXISTING),
    tenantIds: () => rows.documents.distinct('tenant_id', EXISTING),
    async noteSuccess(webhookId, at) {
      if (!notes.success(webhookId, at.getTime())) return true;
      const unwarned = { _id: webhookId, 'health.warned_at': { $exists: false } };
      return (await rows.documents.updateOne(unwarned, successAt(at))).matchedCount === 1;
    },
    async noteRecovery(webhookId, at, pending) {
      const warned = [{ _id: webhookId }, { 'health.warned_at': { $exists: true } }];
      return (await rows.update(warned, successAt(at), pending)) !== null;
    },
    async warn(webhookId, failingSince, at, pending) {
      const failing = { 'health.first_failure_at': failingSince, 'health.warned_at': { $exists: false } };
      const filters = [{ _id: webhookId, status: 'ACTIVE' }, failing];
      return (await rows.update(filters, { $set: { 'health.warned_at': at } }, pending)) !== null;
    },
    noteFailure: (webhookId, at) => failures.add(webhookId, at),
  };
}

/** Takes the first free place, and retries if another request takes it first. */
async function insertWebhook(
  rows: WebhookRows,
  webhook: WebhookRecord,
  pending: readonly AdminEffect[],
  most: number,
): Promise<Insertion> {
  const { consecutive_failures } = webhook.health;
  for (;;) {
    const held = { tenant_id: webhook.tenant_id, place: { $exists: true } };
    const taken = new Set(await rows.documents.distinct('place', held));
    const place = Array.from({ length: most }, (_, n) => n).find((each) => !taken.has(each));
    if (place === undefined) return 'full';
    const document = rows.documentOf(webhook, pending, { health: { consecutive_failures }, place });
    const duplicate = await rows.insertDocument(document);
    if (duplicate === null) return 'made';
    if (!duplicate.fields.includes('place')) return 'taken';
  }
}

async function writeFailures(
  rows: WebhookRows,
  webhookId: string,
  { count, first, last }: Failures,
): Promise<WebhookHealth | null> {
  const noted = await rows.documents.findOneAndUpdate(
    { _id: webhookId },
    {
      $inc: { 'health.consecutive_failures': count },
      $min: { 'health.first_failure_at': first },
      $max: { 'health.last_failure_at': last },
    },
    { returnDocument: 'after' },
  );
  return noted && rows.rowOf(noted).health;
}

const ofOwner = ({ key_id, actor_id }: WebhookOwner) => ({
  $or: [{ created_by: key_id }, ...(actor_id === null ? [] : [{ created_by_actor: actor_id }])],
});

function webhooksOfTenant(rows: WebhookRows, tenantId: TenantId, owner: WebhookOwner | null): TenantWebhooks {
  const existing = { tenant_id: tenantId, ...EXISTING };
  return {
    ...rows.reader(existing, ...(owner === null ? [] : [ofOwner(owner)])),
    change: (webhookId, { revision, set, clearFailures = false, pending, later }) =>
      rows.update(
        [existing, { _id: webhookId, revision }],
        {
          $set: { ...set, ...(clearFailures ? { 'health.consecutive_failures': 0 } : {}) },
          $unset: { ...(clearFailures ? NO_FAILURES : {}), ...(set.status === 'DELETED' ? { place: '' } : {}) },
        },
        pending,
        later,
      ),
    attach: async (webhookId, pending) =>
      (await rows.update([{ tenant_id: tenantId, _id: webhookId, status: 'ACTIVE' }], {}, pending)) !== null,
  };
}
