import { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { deliveryStore } from '../../../subgraphs/admin/webhooks/deliveries/model.js';
import { StoredWebhookDirectory } from '../../../subgraphs/admin/webhooks/directory.js';
import { messageStore } from '../../../subgraphs/admin/webhooks/messages/model.js';
import { webhookStore } from '../../../subgraphs/admin/webhooks/model/webhooks.js';
import type { TestServer } from '../../support/database.js';
import { type AdminProcess, callerOf, type GraphAnswer, principalOf, startAdmin } from '../admin-kit.js';

export const URL_OF_RECEIVER = 'https://receiver.example.com/evidence?token=tell-nobody';

const WEBHOOK = `webhook_id tenant_id url event_types source_systems description status suspension_reason allowed_actions
  health { consecutive_failures first_failure_at last_failure_at last_success_at }
  throttle_per_second max_in_flight previous_secret_expires_at revision created_at created_by updated_at last_enabled_at`;
const DELIVERY = `delivery_id webhook_id message_id type status trigger created_at next_attempt_at
  attempts { at status duration_ms error }`;

/** What the graph takes on subscriptions, as one caller; `workId` makes a request the same as one before. */
export function subscriber({ admin }: Pick<AdminProcess, 'admin'>, tenantId: string, workId: string | null = null) {
  const { run } = callerOf(admin, principalOf(tenantId, 'events:read'), tenantId, workId);
  const mutation = (name: string, args: string, pass: string, selection: string, variables: Record<string, unknown>) =>
    run(`mutation (${args}) { answer: ${name}(${pass}) { ${selection} } }`, variables);
  const ofId = (name: string, selection: string, webhook_id: string) =>
    mutation(name, '$id: String!', 'webhook_id: $id', selection, { id: webhook_id });
  const withInput = (name: string, type: string, selection: string, id: string, input: Record<string, unknown>) =>
    mutation(name, `$id: String!, $input: ${type}!`, 'webhook_id: $id, input: $input', selection, { id, input });
  return {
    create: (input: Record<string, unknown> = {}) =>
      mutation('createWebhook', '$input: WebhookInput!', 'input: $input', `${WEBHOOK} secret`, {
        input: { url: URL_OF_RECEIVER, event_types: ['event.ingested'], ...input },
      }),
    update: (id: string, input: Record<string, unknown>) =>
      withInput('updateWebhook', 'WebhookPatch', WEBHOOK, id, input),
    remove: (id: string) => ofId('deleteWebhook', WEBHOOK, id),
    rotate: (id: string) => ofId('rotateWebhookSecret', `${WEBHOOK} secret`, id),
    test: (id: string, input: Record<string, unknown> = {}) =>
      withInput('testWebhook', 'WebhookTestInput', DELIVERY, id, input),
    recover: (id: string, input: Record<string, unknown>) =>
      withInput('recoverWebhook', 'WebhookRecoveryInput', 'webhook_id dry_run count continue_from', id, input),
    redeliver: (webhook: string, delivery: string) =>
      mutation(
        'redeliverWebhook',
        '$webhook: String!, $delivery: String!',
        'webhook_id: $webhook, delivery_id: $delivery',
        DELIVERY,
        { webhook, delivery },
      ),
    get: (id: string) => run(`query ($id: String!) { answer: webhook(webhook_id: $id) { ${WEBHOOK} } }`, { id }),
    deliveries: (id: string) =>
      run(`query ($id: String!) { answer: webhookDeliveries(webhook_id: $id, limit: 500) { items { ${DELIVERY} } } }`, {
        id,
      }),
  };
}

export type Subscriber = ReturnType<typeof subscriber>;

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
export const answered = async (call: Promise<GraphAnswer>): Promise<any> => {
  const { data, code, message } = await call;
  if (code !== null) throw new Error(`${code}: ${message}`);
  return data.answer;
};

/** The admin subgraph over a separate database, and its stores. */
export async function subscriptionsOver(server: TestServer, name: string) {
  const database: Database = await server.connect(name);
  const process = await startAdmin(database);
  const now = () => new Date(process.clock.nowMs());
  /** Its effects wait for the sweep, as those of a process that died before it performed them. */
  const webhooks = webhookStore({ db: database.db, outbox: { relay: async () => {} } }, () => {});
  const directory = new StoredWebhookDirectory({
    webhooks,
    masterKey: new MasterKey(Buffer.alloc(32, 7)),
    ids: ulidIds(() => process.clock.nowMs(), systemRandomness()),
    clock: process.clock,
  });
  return {
    ...process,
    database,
    webhooks,
    directory,
    deliveries: deliveryStore(database.db),
    messages: messageStore(database.db, now),
    now,
    /** Performs every effect that waits. */
    sweep: () => process.admin.background().stop(),
    as: (tenantId: string, workId: string | null = null) => subscriber(process, tenantId, workId),
  };
}

export const asTenant = (tenantId: string): TenantId => tenantId as TenantId;
