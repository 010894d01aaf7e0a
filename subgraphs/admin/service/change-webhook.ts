import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerFeed } from '../../../shared/contracts/ledger-feed.js';
import { problem } from '../../../shared/errors/problem.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { followsLedger, ledgerFromOf } from '../domain/ledger-from.js';
import { UNTRIED, WEBHOOK_MACHINE } from '../domain/webhook.js';
import type { HastenDeliveriesEffect } from './ports/admin-effects.js';
import type { DeliveryStore } from './ports/delivery-store.js';
import type { MessageStore } from './ports/message-store.js';
import type { WebhookRecord, WebhookStore } from './ports/webhook-store.js';
import { describeWebhook, WEBHOOKS } from './webhook-act.js';
import { judgeMembers, type UrlJudge, type WebhookMembers } from './webhook-members.js';
import { makeSecret, unwrapSecret, wrapSecret } from './webhook-secret.js';
import { changeWebhook, entriesOf, stepOf } from './webhook-steps.js';

export interface WebhookDeps extends WorkDeps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly outbox: EffectRelay;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
  readonly deliveryQueue: Pick<WorkQueue, 'wake'>;
  readonly judgeUrl: UrlJudge;
  readonly ledgerFeed: Pick<LedgerFeed, 'heads'>;
}

/** Each one is looked at for every event of the tenant. */
export const MAX_WEBHOOKS_PER_TENANT = 100;
/** Deliveries under way at one time to one receiver, unless told: small, so that a slow receiver costs little. */
export const DEFAULT_IN_FLIGHT = 16;

export interface WithSecret {
  readonly webhook: WebhookRecord;
  readonly secret: string;
}

type NewWebhook = WebhookMembers & Required<Pick<WebhookMembers, 'url' | 'event_types'>>;

/** Makes a subscription. Recorded as a `_platform` entry. @throws VALIDATION_ERROR, CONFLICT when there are too many */
export async function createWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  input: NewWebhook,
): Promise<WithSecret> {
  const tenantId = authorise(context, 'webhooks:write');
  judgeMembers(deps.judgeUrl, input);
  const work = forWork(deps, context, 'create-webhook');
  const place = { webhook_id: work.ids.next('webhook'), tenant_id: tenantId };
  const secret = makeSecret(work.randomness);
  const step = transition(WEBHOOK_MACHINE, null, 'create');
  const wrapped = wrapSecret(deps, place, secret);
  const ledger_from = followsLedger(input) ? ledgerFromOf(null, await deps.ledgerFeed.heads(tenantId)) : [];
  const fixed = { ...place, status: step.to, wrapped_secret: wrapped, ledger_from };
  const webhook = { ...freshWebhook(deps, context, input), ...fixed };
  const webhooks = deps.webhooks.forTenant(tenantId);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const madeBefore = async (): Promise<WithSecret | null> => {
    const standing = await webhooks.get(place.webhook_id);
    return standing && { webhook: standing, secret: unwrapSecret(deps.masterKey, standing, standing.wrapped_secret) };
  };
  const before = context.workId === null ? null : await madeBefore();
  if (before !== null) return before;
  const pending = entriesOf(work.ids, context, webhook, [step], describeWebhook(webhook));
  const insertion = await deps.webhooks.insert(webhook, pending, MAX_WEBHOOKS_PER_TENANT);
  if (insertion === 'full') {
    throw problem('CONFLICT', { message: `A tenant has at most ${MAX_WEBHOOKS_PER_TENANT} webhooks.` });
  }
  if (insertion === 'taken') {
    const standing = await madeBefore();
    if (standing === null) throw problem('CONFLICT', { message: 'What this request made is deleted already.' });
    return standing;
  }
  await deps.outbox.relay(WEBHOOKS, place.webhook_id, pending);
  return { webhook, secret };
}

type Named = 'webhook_id' | 'tenant_id' | 'status' | 'wrapped_secret';

function freshWebhook(
  { clock }: Pick<WebhookDeps, 'clock'>,
  { principal, workId }: RequestContext,
  input: NewWebhook,
): Omit<WebhookRecord, Named> {
  const at = new Date(clock.nowMs());
  return {
    url: input.url,
    description: input.description ?? null,
    event_types: input.event_types,
    source_systems: input.source_systems ?? null,
    suspension_reason: null,
    health: UNTRIED,
    throttle_per_second: input.throttle_per_second ?? null,
    max_in_flight: input.max_in_flight ?? DEFAULT_IN_FLIGHT,
    former_secrets: [],
    ledger_from: [],
    revision: 1,
    created_at: at,
    created_by: principal.keyId,
    updated_at: at,
    last_enabled_at: at,
    work_id: workId,
  };
}

export interface WebhookUpdate {
  readonly webhookId: string;
  readonly members: WebhookMembers;
  readonly status?: 'ACTIVE' | 'PAUSED' | undefined;
  readonly revision?: number | undefined;
}

/**
 * Changes members of a subscription, pauses it, or enables it again, which forgets its failures. What stands so already
 * changes nothing. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT for another revision
 */
export async function updateWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  { webhookId, members, status, revision }: WebhookUpdate,
): Promise<WebhookRecord> {
  const tenantId = authorise(context, 'webhooks:write');
  judgeMembers(deps.judgeUrl, members);
  const touchesFeed = status === 'ACTIVE' || members.event_types !== undefined || members.source_systems !== undefined;
  const heads = touchesFeed ? await deps.ledgerFeed.heads(tenantId) : [];
  let enabled = false;
  const changed = await changeWebhook(deps, context, webhookId, (standing, at) => {
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The webhook is at another revision than the one named.' });
    }
    const changed = changedMembers(standing, members);
    const steps = [
      ...(status === undefined ? [] : [stepOf(standing, status === 'ACTIVE' ? 'enable' : 'pause')]),
      ...(changed.length === 0 ? [] : [stepOf(standing, 'update')]),
    ];
    enabled = steps.some(({ action, emits }) => action === 'enable' && emits.length > 0);
    return {
      steps,
      set: {
        ...members,
        ...(status === undefined ? {} : { status }),
        ...(enabled ? { last_enabled_at: at } : {}),
        ...(status === undefined ? {} : { suspension_reason: null }),
        ...(touchesFeed && followsLedger({ ...standing, ...members })
          ? { ledger_from: ledgerFromOf(standing, heads) }
          : {}),
      },
      // What another address has failed at says nothing of this one.
      clearFailures: enabled || changed.includes('url'),
      more: (webhook) => ({ changed, ...describeWebhook(webhook) }),
      later: enabled ? [hastening(deps, standing, at)] : [],
    };
  });
  if (enabled) await goOn(deps, changed);
  return changed;
}

/** What waited while it was not ACTIVE is due at once. */
async function goOn(deps: WebhookDeps, { tenant_id, webhook_id, last_enabled_at }: WebhookRecord): Promise<void> {
  await deps.deliveries(tenant_id).hastenWaiting(webhook_id, last_enabled_at.getTime());
  deps.deliveryQueue.wake([webhook_id]);
}

/** Once more by the sweep: after a crash, and for rows that were put off by who had looked a moment before the change. */
const hastening = (
  { ids }: Pick<WebhookDeps, 'ids'>,
  { tenant_id, webhook_id }: WebhookRecord,
  at: Date,
): HastenDeliveriesEffect => ({ id: ids.next('effect'), kind: 'hasten-deliveries', tenant_id, webhook_id, at });

/**
 * Ends a subscription: its secrets and its address are erased, what waits to be sent is cancelled. @throws NOT_FOUND
 * @returns it as it was.
 */
export async function deleteWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WebhookRecord> {
  let before: WebhookRecord | undefined;
  await changeWebhook(deps, context, webhookId, (standing) => {
    before = standing;
    return {
      steps: [stepOf(standing, 'delete')],
      set: { status: 'DELETED', url: '', description: null, wrapped_secret: '', former_secrets: [] },
      more: () => ({}),
      follows: [
        {
          id: deps.ids.next('effect'),
          kind: 'cancel-deliveries',
          tenant_id: standing.tenant_id,
          webhook_id: standing.webhook_id,
        },
      ],
    };
  });
  if (before === undefined) throw new Error('a deletion without a subscription');
  return before;
}

const MEMBERS = [
  'url',
  'description',
  'event_types',
  'source_systems',
  'throttle_per_second',
  'max_in_flight',
] as const;

/** As JSON, so that lists compare by value. */
const changedMembers = (standing: WebhookRecord, members: WebhookMembers): string[] =>
  MEMBERS.filter(
    (name) => members[name] !== undefined && JSON.stringify(members[name]) !== JSON.stringify(standing[name]),
  );
