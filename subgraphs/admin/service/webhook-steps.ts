import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { type TransitionRow, transition } from '../../../shared/state-machine/state-machine.js';
import { WEBHOOK_MACHINE, type WebhookAction, type WebhookStatus } from '../domain/webhook.js';
import type { AdminEffect } from './ports/admin-effects.js';
import type { WebhookChange, WebhookRecord, WebhookStore } from './ports/webhook-store.js';
import { WEBHOOKS, webhookAct } from './webhook-act.js';
import { warningOver } from './webhook-warning.js';

interface StepDeps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly outbox: EffectRelay;
  readonly ids: Ids;
}

/** Writers who meet on one subscription try again this often. */
const MAX_ATTEMPTS = 5;

type Step = TransitionRow<WebhookStatus, WebhookAction>;

export const stepOf = (standing: WebhookRecord, action: WebhookAction): Step =>
  transition(WEBHOOK_MACHINE, standing.status, action);

interface Changes {
  readonly steps: readonly Step[];
  readonly set: WebhookChange['set'];
  readonly clearFailures?: boolean;
  /** What the entries tell of it. */
  readonly more: (changed: WebhookRecord) => Parameters<typeof webhookAct>[3]['more'];
  readonly follows?: readonly AdminEffect[];
  /** What follows and is left to the sweep, some seconds later. */
  readonly later?: readonly AdminEffect[];
}

/** Read, ask the table, write on the revision that was read; who is overtaken looks again. */
export async function changeWebhook(
  deps: StepDeps,
  context: RequestContext,
  webhookId: string,
  changes: (standing: WebhookRecord, at: Date) => Changes,
): Promise<WebhookRecord> {
  const webhooks = deps.webhooks.forTenant(authorise(context, 'webhooks:write'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('webhook', webhookId) ? await webhooks.get(webhookId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    const at = new Date(deps.clock.nowMs());
    const { steps, set, clearFailures = false, more, follows = [], later = [] } = changes(standing, at);
    if (steps.every(({ emits }) => emits.length === 0)) return standing;
    const revision = standing.revision + 1;
    const written = { ...set, revision, updated_at: at, work_id: context.workId };
    const entries = entriesOf(deps.ids, context, { ...standing, ...written }, steps, more({ ...standing, ...written }));
    const over = clearFailures || written.status === 'DELETED';
    const warned = over && standing.health.warned_at !== null;
    const pending = [
      ...entries,
      ...follows,
      ...setRight(deps.ids, standing, steps),
      ...(warned ? [warningOver(deps.ids, standing, 'The webhook was changed.')] : []),
    ];
    const change = { revision: standing.revision, set: written, clearFailures, pending: [...pending, ...later] };
    const changed = await webhooks.change(webhookId, change);
    if (changed === null) continue;
    await deps.outbox.relay(WEBHOOKS, webhookId, pending);
    return changed;
  }
  throw problem('CONFLICT', { message: 'The webhook is being changed by others; read it and try again.' });
}

/** What the steps leave in `_platform`. */
export const entriesOf = (
  ids: Pick<Ids, 'next'>,
  context: RequestContext,
  webhook: WebhookRecord,
  steps: readonly Step[],
  more: Parameters<typeof webhookAct>[3]['more'] = {},
): AdminEffect[] => {
  const atMs = webhook.updated_at.getTime();
  return steps.flatMap(({ from, to, emits }) =>
    emits.map((type) => webhookAct(ids, context, webhook, { type, atMs, more: { from, to, ...more } })),
  );
};

/** Whoever pauses, enables or deletes what was suspended has seen to it. */
const setRight = (ids: Pick<Ids, 'next'>, standing: WebhookRecord, steps: readonly Step[]): AdminEffect[] =>
  standing.status !== 'SUSPENDED' || steps.every(({ to }) => to === 'SUSPENDED')
    ? []
    : [
        {
          id: ids.next('effect'),
          kind: 'resolve-exception',
          tenant_id: standing.tenant_id,
          exception_kind: 'WEBHOOK_SUSPENDED',
          subject: { webhook_id: standing.webhook_id },
          note: 'The webhook is no longer suspended.',
        },
      ];
