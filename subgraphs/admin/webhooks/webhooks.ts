import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { LedgerFeed } from '../../../shared/contracts/ledger-feed.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import type { UrlVerdict } from '../../../shared/http/safe-connect/judge-url.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import { EVENT_KIND_NAMES } from '../../../shared/outbox/event-kinds.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { requireRevision } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import type { HastenDeliveriesEffect } from '../parts.js';
import type { DeliveryStore } from './deliveries/ports.js';
import { followsLedger, ledgerFromOf, NO_ATTEMPTS, unknownTypes, WEBHOOK_MACHINE } from './domain.js';
import type { MessageStore } from './messages/ports.js';
import { webhooksFor } from './owner.js';
import type { WebhookRecord, WebhookStore } from './ports.js';
import type { WebhookMembers } from './schema.js';
import { makeSecret, unwrapSecret, wrapSecret } from './secrets.js';
import { changeWebhook, describeWebhook, entriesOf, stepOf } from './steps.js';

/** Members of a new webhook. */
interface NewWebhook extends WebhookMembers {
  readonly event_types: readonly string[];
}

/** Checks a URL without resolving its host. */
type UrlJudge = (url: string) => UrlVerdict;

/** @throws VALIDATION_ERROR for a forbidden URL or an unknown event kind */
function checkMembers(judgeUrl: UrlJudge, { url, event_types = [] }: Partial<NewWebhook>): void {
  const verdict: UrlVerdict | undefined = url === undefined ? undefined : judgeUrl(url);
  const unknown = new Set(unknownTypes(event_types, EVENT_KIND_NAMES));
  const errors: FieldFault[] = [
    ...(verdict !== undefined && 'refused' in verdict ? [fault('/url', 'address', verdict.refused)] : []),
    ...event_types.flatMap((type, index) =>
      unknown.has(type) ? [fault(`/event_types/${index}`, 'unknown', 'Must be an event kind of the catalogue.')] : [],
    ),
  ];
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

interface NamedTypes {
  readonly event_types?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
}

/** Returns `event_types`, or its alias `events` (specification "Webhook subscription"). @throws VALIDATION_ERROR */
export function eventTypesOf(named: NamedTypes, required: true): readonly string[];
export function eventTypesOf(named: NamedTypes, required: boolean): readonly string[] | undefined;
export function eventTypesOf({ event_types, events }: NamedTypes, required: boolean): readonly string[] | undefined {
  const types = event_types ?? events;
  const [path, code, message] =
    types === undefined && required
      ? (['/event_types', 'required', 'Must be present.'] as const)
      : (['/events', 'differs', 'Must equal event_types.'] as const);
  const differ = event_types !== undefined && events !== undefined && event_types.join() !== events.join();
  if (differ || (types === undefined && required)) {
    throw problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });
  }
  return types;
}

export interface WebhookDeps extends WorkDeps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
  readonly deliveryQueue: Pick<WorkQueue, 'wake'>;
  readonly judgeUrl: UrlJudge;
  readonly ledgerFeed: Pick<LedgerFeed, 'heads'>;
}

/** Every event of the tenant is matched against all of its webhooks. */
const MAX_WEBHOOKS_PER_TENANT = 100;

export interface WithSecret {
  readonly webhook: WebhookRecord;
  readonly secret: string;
}

/** Creates a webhook and records it in `_platform`. @throws VALIDATION_ERROR, CONFLICT if the tenant has too many */
export async function createWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  input: NewWebhook,
): Promise<WithSecret> {
  const tenantId = authorise(context, 'webhooks:own');
  checkMembers(deps.judgeUrl, input);
  const work = forWork(deps, context, 'create-webhook');
  const place = { webhook_id: work.ids.next('webhook'), tenant_id: tenantId };
  const secret = makeSecret(work.randomness);
  const step = transition(WEBHOOK_MACHINE, null, 'create');
  const wrapped = wrapSecret(deps, place, secret);
  const ledger_from = followsLedger(input) ? ledgerFromOf(null, await deps.ledgerFeed.heads(tenantId)) : [];
  const fixed = { ...place, status: step.to, wrapped_secret: wrapped, ledger_from };
  const webhook = { ...freshWebhook(deps, context, input), ...fixed };
  const webhooks = deps.webhooks.forTenant(tenantId);
  // The identifier is taken only if the same request has run before.
  const createdBefore = async (): Promise<WithSecret | null> => {
    const current = await webhooks.get(place.webhook_id);
    return current && { webhook: current, secret: unwrapSecret(deps.masterKey, current, current.wrapped_secret) };
  };
  const before = context.workId === null ? null : await createdBefore();
  if (before !== null) return before;
  const pending = entriesOf(work.ids, context, webhook, [step], describeWebhook(webhook));
  const insertion = await deps.webhooks.insert(webhook, pending, MAX_WEBHOOKS_PER_TENANT);
  if (insertion === 'full') {
    throw problem('CONFLICT', {
      message: `A tenant can have at most ${MAX_WEBHOOKS_PER_TENANT} webhooks; delete one first.`,
    });
  }
  if (insertion === 'taken') {
    const current = await createdBefore();
    if (current === null)
      throw problem('CONFLICT', { message: 'The webhook of this request is deleted already; send a new request.' });
    return current;
  }
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
    ...input,
    suspension_reason: null,
    health: NO_ATTEMPTS,
    former_secrets: [],
    ledger_from: [],
    revision: 1,
    created_at: at,
    created_by: principal.keyId,
    created_by_actor: principal.actorId,
    updated_at: at,
    last_enabled_at: at,
    work_id: workId,
  };
}

interface WebhookUpdate {
  readonly webhookId: string;
  readonly members: Partial<NewWebhook>;
  readonly status?: 'ACTIVE' | 'PAUSED' | undefined;
  readonly revision?: number | undefined;
}

/**
 * Changes, pauses or enables a webhook; enabling clears its failures. Equal values change nothing.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT for another revision
 */
export async function updateWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  { webhookId, members, status, revision }: WebhookUpdate,
): Promise<WebhookRecord> {
  const tenantId = authorise(context, 'webhooks:own');
  checkMembers(deps.judgeUrl, members);
  const touchesFeed = status === 'ACTIVE' || members.event_types !== undefined || members.source_systems !== undefined;
  const heads = touchesFeed ? await deps.ledgerFeed.heads(tenantId) : [];
  let enabled = false;
  const changed = await changeWebhook(deps, context, webhookId, (current, at) => {
    requireRevision('webhook', current, revision);
    const changed = changedMembers(current, members);
    const steps = [
      ...(status === undefined ? [] : [stepOf(current, status === 'ACTIVE' ? 'enable' : 'pause')]),
      ...(changed.length === 0 ? [] : [stepOf(current, 'update')]),
    ];
    enabled = steps.some(({ action, emits }) => action === 'enable' && emits.length > 0);
    return {
      steps,
      set: {
        ...members,
        ...(status === undefined ? {} : { status }),
        ...(enabled ? { last_enabled_at: at } : {}),
        ...(status === undefined ? {} : { suspension_reason: null }),
        ...(touchesFeed && followsLedger({ ...current, ...members })
          ? { ledger_from: ledgerFromOf(current, heads) }
          : {}),
      },
      // Failures of the former URL do not count for the new one.
      clearFailures: enabled || changed.includes('url'),
      more: (webhook) => ({ changed, ...describeWebhook(webhook) }),
      later: enabled ? [hastening(deps, current, at)] : [],
    };
  });
  if (enabled) await resumeDeliveries(deps, changed);
  return changed;
}

/** Makes the waiting deliveries due at once. */
async function resumeDeliveries(
  deps: WebhookDeps,
  { tenant_id, webhook_id, last_enabled_at }: WebhookRecord,
): Promise<void> {
  await deps.deliveries(tenant_id).hastenWaiting(webhook_id, last_enabled_at.getTime());
  deps.deliveryQueue.wake([webhook_id]);
}

/** Repeats it by the sweep: after a crash, and for deliveries that were postponed just before the change. */
const hastening = (
  { ids }: Pick<WebhookDeps, 'ids'>,
  { tenant_id, webhook_id }: WebhookRecord,
  at: Date,
): HastenDeliveriesEffect => ({ id: ids.next('effect'), kind: 'hasten-deliveries', tenant_id, webhook_id, at });

/**
 * Deletes a webhook: erases its secrets and URL and cancels its waiting deliveries.
 *
 * @returns the webhook before the deletion
 * @throws NOT_FOUND
 */
export async function deleteWebhook(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WebhookRecord> {
  let before: WebhookRecord | undefined;
  await changeWebhook(deps, context, webhookId, (current) => {
    before = current;
    return {
      steps: [stepOf(current, 'delete')],
      set: { status: 'DELETED', url: '', description: null, wrapped_secret: '', former_secrets: [] },
      follows: [
        {
          id: deps.ids.next('effect'),
          kind: 'cancel-deliveries',
          tenant_id: current.tenant_id,
          webhook_id: current.webhook_id,
        },
      ],
    };
  });
  if (before === undefined) throw new Error('a deletion without a webhook');
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

/** Compares JSON, so that lists compare by value. */
const changedMembers = (current: WebhookRecord, members: Partial<NewWebhook>): string[] =>
  MEMBERS.filter(
    (name) => members[name] !== undefined && JSON.stringify(members[name]) !== JSON.stringify(current[name]),
  );

type ReadDeps = Pick<WebhookDeps, 'webhooks'>;

/** Lists the webhooks of the tenant that the caller may see. */
export async function listWebhooks(
  deps: ReadDeps,
  context: RequestContext,
  query: ListQuery<WebhookRecord>,
): Promise<Page<WebhookRecord>> {
  return webhooksFor(deps.webhooks, context, 'webhooks:read').webhooks.page(query);
}

/** Returns the webhooks with these identifiers, by the rule of `getWebhook`. */
export const namedWebhooks = async (
  deps: ReadDeps,
  context: RequestContext,
  webhookIds: readonly string[],
): Promise<readonly WebhookRecord[]> => webhooksFor(deps.webhooks, context, 'webhooks:read').webhooks.among(webhookIds);

/** @returns null alike for a missing webhook, another tenant's, and one of another key that the caller may not see. */
export async function getWebhook(
  deps: ReadDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WebhookRecord | null> {
  const { webhooks } = webhooksFor(deps.webhooks, context, 'webhooks:read');
  return isIdOf('webhook', webhookId) ? webhooks.get(webhookId) : null;
}
