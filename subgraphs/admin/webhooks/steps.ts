import type { RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { changeRow } from '../../../shared/records/conflicts.js';
import { type TransitionRow, transition } from '../../../shared/state-machine/state-machine.js';
import { platformAct } from '../acts/index.js';
import type { AdminEffect, OpenExceptionEffect, ResolveExceptionEffect } from '../parts.js';
import { WEBHOOK_MACHINE, type WebhookAction, type WebhookStatus } from './domain.js';
import { webhooksFor } from './owner.js';
import type { WebhookChange, WebhookRecord, WebhookStore } from './ports.js';

type Act = Pick<WebhookRecord, 'webhook_id' | 'tenant_id' | 'revision'>;
type Author = Pick<RequestContext, 'principal'>;

/** Builds the `_platform` entry of an act on a webhook. It names only the host, because URLs may contain tokens. */
export const webhookAct = (
  ids: Pick<Ids, 'next'>,
  context: Author,
  { webhook_id, tenant_id, revision }: Act,
  { type, atMs, more = {} }: { readonly type: string; readonly atMs: number; readonly more?: JsonObject | undefined },
): LedgerEntryEffect =>
  platformAct(ids, context, { type, tenantId: tenant_id, atMs, payload: { webhook_id, revision, ...more } });

/** Returns the members of a webhook that entries record. */
export const describeWebhook = (webhook: WebhookRecord): JsonObject => ({
  url_host: new URL(webhook.url).host,
  event_types: [...webhook.event_types],
  source_systems: webhook.source_systems === null ? null : [...webhook.source_systems],
  throttle_per_second: webhook.throttle_per_second,
  max_in_flight: webhook.max_in_flight,
});

interface StepDeps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

type Step = TransitionRow<WebhookStatus, WebhookAction>;

export const stepOf = (current: WebhookRecord, action: WebhookAction): Step =>
  transition(WEBHOOK_MACHINE, current.status, action);

interface Changes {
  /** Without a step that emits an entry nothing changes. */
  readonly steps: readonly Step[];
  readonly set?: WebhookChange['set'];
  readonly clearFailures?: boolean;
  /** Further payload of the entries. */
  readonly more?: (changed: WebhookRecord) => JsonObject;
  readonly follows?: readonly AdminEffect[];
  /** Effects that only the sweep performs, some seconds later. */
  readonly later?: readonly AdminEffect[];
}

type Decide = (current: WebhookRecord, at: Date) => Changes;

/** Takes steps of the state table for a request. @throws NOT_FOUND, CONFLICT */
export async function changeWebhook(
  deps: StepDeps,
  context: RequestContext,
  webhookId: string,
  decide: Decide,
): Promise<WebhookRecord> {
  const { webhooks } = webhooksFor(deps.webhooks, context, 'webhooks:write');
  const read = async () => (isIdOf('webhook', webhookId) ? webhooks.get(webhookId) : null);
  return takeSteps(deps, context, read, decide);
}

/** Takes steps of the state table on the revision that was read, and retries if another request changes it. */
export const takeSteps = (
  { webhooks, clock, ids }: StepDeps,
  context: Author & Partial<Pick<RequestContext, 'workId'>>,
  read: () => Promise<WebhookRecord | null>,
  decide: Decide,
): Promise<WebhookRecord> =>
  changeRow('webhook', read, (current) => {
    const at = new Date(clock.nowMs());
    const { steps, set, clearFailures = false, more, follows = [], later = [] } = decide(current, at);
    if (steps.every(({ emits }) => emits.length === 0)) return current;
    const { webhook_id, tenant_id, revision } = current;
    const written = { ...set, revision: revision + 1, updated_at: at, work_id: context.workId ?? null };
    const changed = { ...current, ...written };
    const isOver = clearFailures || written.status === 'DELETED';
    const warned = isOver && current.health.warned_at !== null;
    const pending = [
      ...entriesOf(ids, context, changed, steps, more?.(changed)),
      ...follows,
      ...(isResumed(current, steps) ? [suspensionResolved(ids, current)] : []),
      ...(warned ? [warningResolved(ids, current, 'The webhook was changed.')] : []),
    ];
    return webhooks.forTenant(tenant_id).change(webhook_id, { revision, set: written, clearFailures, pending, later });
  });

/** Builds the `_platform` entries of the steps. */
export const entriesOf = (
  ids: Pick<Ids, 'next'>,
  context: Author,
  webhook: WebhookRecord,
  steps: readonly Step[],
  more: JsonObject = {},
): LedgerEntryEffect[] => {
  const atMs = webhook.updated_at.getTime();
  return steps.flatMap(({ from, to, emits }) =>
    emits.map((type) => webhookAct(ids, context, webhook, { type, atMs, more: { from, to, ...more } })),
  );
};

type Named = Pick<WebhookRecord, 'webhook_id' | 'tenant_id'>;
type WebhookException = 'WEBHOOK_FAILING' | 'WEBHOOK_SUSPENDED';

/** Opens an exception: WEBHOOK_FAILING warns at half of the time after which a failing webhook is suspended. */
export const exceptionOf = (
  ids: Pick<Ids, 'next'>,
  { webhook_id, tenant_id }: Named,
  kind: WebhookException,
  detail: JsonObject,
): OpenExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'open-exception',
  tenant_id,
  exception: { kind, subject: { webhook_id }, detail },
});

const resolved = (
  ids: Pick<Ids, 'next'>,
  { webhook_id, tenant_id }: Named,
  exception_kind: WebhookException,
  note: string,
): ResolveExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'resolve-exception',
  tenant_id,
  exception_kind,
  subject: { webhook_id },
  note,
});

/** Resolves the warning after the end of a run of failures. @param note cause of the end */
export const warningResolved = (ids: Pick<Ids, 'next'>, webhook: Named, note: string): ResolveExceptionEffect =>
  resolved(ids, webhook, 'WEBHOOK_FAILING', note);

/** A person has paused, enabled or deleted a suspended webhook. */
const isResumed = ({ status }: WebhookRecord, steps: readonly Step[]): boolean =>
  status === 'SUSPENDED' && steps.some(({ to }) => to !== 'SUSPENDED');

const suspensionResolved = (ids: Pick<Ids, 'next'>, webhook: Named): ResolveExceptionEffect =>
  resolved(ids, webhook, 'WEBHOOK_SUSPENDED', 'The webhook is no longer suspended.');
