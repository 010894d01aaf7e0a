import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { forWork } from '../../../shared/ids/work.js';
import { EVENT_KIND_NAMES, type EventDataOf, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import { unknownTypes, wantsSource, wantsType } from '../domain/webhook.js';
import type { WebhookDeps } from './change-webhook.js';
import type { StoredMessage } from './ports/message-store.js';
import type { WebhookRecord } from './ports/webhook-store.js';
import { activeWebhook, deliveryOf, record } from './webhook-replay.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longest span of one recovery; messages are kept for 30 days. */
export const MOST_RECOVERED_DAYS = 14;
/** Messages that one recovery sends at most; the answer tells where to go on. */
export const MOST_RECOVERED = 10_000;
const PAGE = 500;
/** A delivery is made after its message, but perhaps by a process whose clock is behind. */
const CLOCKS_APART_MS = 60_000;

export interface RecoveryInput {
  readonly webhookId: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Kinds or patterns; those of the subscription unless told. */
  readonly eventTypes?: readonly string[] | undefined;
  readonly dryRun: boolean;
}

export interface Recovery {
  readonly webhook: WebhookRecord;
  /** Messages that were, or would be, sent again. */
  readonly count: number;
  /** Where the next recovery begins, when there was more than one takes. */
  readonly continueFromMs: number | null;
}

/**
 * Sends again what happened in a span and never got through: what was delivered, or is on its way, is left alone. A dry
 * run only counts. @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT unless the subscription is ACTIVE
 */
export async function recoverDeliveries(
  deps: WebhookDeps,
  context: RequestContext,
  input: RecoveryInput,
): Promise<Recovery> {
  const webhook = await activeWebhook(deps, context, input.webhookId);
  const types = wantedTypes(webhook, input);
  const { missed, continueFromMs } = await missedMessages(deps, webhook, { ...input, types });
  const recovery = { webhook, count: missed.length, continueFromMs };
  if (input.dryRun || missed.length === 0) return recovery;
  const { ids } = forWork(deps, context, 'recover-webhook');
  const span = { since: isoTime(input.sinceMs), until: isoTime(input.untilMs) };
  const more = { ...span, message_types: types, messages: missed.length };
  await record(deps, context, webhook, { ids, type: 'webhook.recovered', more });
  const at = new Date(deps.clock.nowMs());
  for (let i = 0; i < missed.length; i += PAGE) {
    // Ids are fresh whatever the request: sent again after a crash it finds fewer messages, in other places.
    const rows = missed
      .slice(i, i + PAGE)
      .map((message) => deliveryOf(webhook, deps.ids, { ...message, trigger: 'RECOVERY', at }));
    await deps.deliveries(webhook.tenant_id).insert(rows);
    deps.deliveryQueue.wake([webhook.webhook_id]);
  }
  return recovery;
}

function wantedTypes(webhook: WebhookRecord, { sinceMs, untilMs, eventTypes }: RecoveryInput): EventKindName[] {
  const unknown = new Set(unknownTypes(eventTypes ?? [], EVENT_KIND_NAMES));
  const errors: FieldFault[] = [
    ...(sinceMs < untilMs ? [] : [fault('/until', 'range', 'Must lie after since.')]),
    ...(untilMs - sinceMs <= MOST_RECOVERED_DAYS * DAY_MS
      ? []
      : [fault('/since', 'range', `A span is at most ${MOST_RECOVERED_DAYS} days.`)]),
    ...(eventTypes ?? []).flatMap((type, index) =>
      unknown.has(type) ? [fault(`/event_types/${index}`, 'unknown', 'No such event kind.')] : [],
    ),
  ];
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  return EVENT_KIND_NAMES.filter(
    (kind) => wantsType(webhook.event_types, kind) && (eventTypes === undefined || wantsType(eventTypes, kind)),
  );
}

type Missed = Omit<StoredMessage, 'body'>;
type Stores = Pick<WebhookDeps, 'messages' | 'deliveries'>;

async function missedMessages(
  deps: Stores,
  webhook: WebhookRecord,
  { sinceMs, untilMs, types }: RecoveryInput & { readonly types: readonly EventKindName[] },
): Promise<{ readonly missed: readonly Missed[]; readonly continueFromMs: number | null }> {
  const missed: Missed[] = [];
  const messages = deps.messages.forTenant(webhook.tenant_id);
  let after: { readonly atMs: number; readonly id: string } | undefined;
  for (;;) {
    const span = { fromMs: sinceMs, toMs: untilMs, types, limit: PAGE, ...(after ? { after } : {}) };
    const page = await messages.list(span);
    for (const message of await missedOf(deps, webhook, page, sinceMs)) {
      // The span that begins there holds it again, and what of the same instant is sent already is left out then.
      if (missed.length === MOST_RECOVERED) return { missed, continueFromMs: message.created_at.getTime() };
      missed.push(message);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { missed, continueFromMs: null };
    after = { atMs: last.created_at.getTime(), id: last.message_id };
  }
}

/** Those of a page that the subscription wants and has not got. */
async function missedOf(
  deps: Stores,
  webhook: WebhookRecord,
  page: readonly Missed[],
  sinceMs: number,
): Promise<readonly Missed[]> {
  const { tenant_id, webhook_id, source_systems } = webhook;
  const messageIds = page.map(({ message_id }) => message_id);
  const settled = await deps.deliveries(tenant_id).settledOrWaiting(webhook_id, messageIds, sinceMs - CLOCKS_APART_MS);
  const missed = page.filter(({ message_id }) => !settled.has(message_id));
  const events = missed.filter(({ type }) => type === 'event.ingested').map(({ message_id }) => message_id);
  if (events.length === 0) return missed;
  const bodies = await deps.messages.bodies(events);
  return missed.filter(({ type, message_id }) => {
    if (type !== 'event.ingested') return true;
    const body = bodies.get(message_id);
    return body !== undefined && wantsSource(source_systems, sourceSystemOf(body));
  });
}

const sourceSystemOf = (body: Buffer): string => {
  const { data } = JSON.parse(body.toString('utf8')) as { readonly data: EventDataOf<'event.ingested'> };
  return data.source_system;
};
