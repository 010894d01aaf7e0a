import type { RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { type FieldFault, fault, problem } from '../../../../shared/errors/problem.js';
import { forWork } from '../../../../shared/ids/work.js';
import { EVENT_KIND_NAMES, type EventDataOf, type EventKindName } from '../../../../shared/outbox/event-kinds.js';
import { unknownTypes, wantsSource, wantsType } from '../domain.js';
import type { StoredMessage } from '../messages/ports.js';
import type { WebhookRecord } from '../ports.js';
import type { WebhookDeps } from '../webhooks.js';
import { activeWebhook, deliveryOf, recordAct } from './replay.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longest span of one recovery; messages are kept for 30 days. */
const MAX_RECOVERY_DAYS = 14;
/** Messages of one recovery; the answer contains the start of the next one. */
const MAX_RECOVERED = 10_000;
const PAGE = 500;
/** Clock difference between processes: a delivery is created after its message, possibly by a slower clock. */
const CLOCK_SKEW_MS = 60_000;

interface RecoveryInput {
  readonly webhookId: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Kinds or patterns. Default: those of the webhook. */
  readonly eventTypes?: readonly string[] | undefined;
  readonly dryRun: boolean;
}

interface Recovery {
  readonly webhook: WebhookRecord;
  /** Number of messages that were, or would be, sent again. */
  readonly count: number;
  /** Start of the next recovery, if one was not enough. */
  readonly continueFromMs: number | null;
}

/**
 * Sends the undelivered messages of a time span again; delivered and waiting messages are skipped. A dry run only counts.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT unless the webhook is ACTIVE
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
  await recordAct(deps, context, webhook, { ids, type: 'webhook.recovered', more });
  const at = new Date(deps.clock.nowMs());
  for (let i = 0; i < missed.length; i += PAGE) {
    // Ids are new even for a repeated request, which finds fewer messages at other positions.
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
    ...(sinceMs < untilMs ? [] : [fault('/until', 'range', 'Must be later than since.')]),
    ...(untilMs - sinceMs <= MAX_RECOVERY_DAYS * DAY_MS
      ? []
      : [fault('/since', 'range', `The span must be at most ${MAX_RECOVERY_DAYS} days.`)]),
    ...(eventTypes ?? []).flatMap((type, index) =>
      unknown.has(type) ? [fault(`/event_types/${index}`, 'unknown', 'Must be an event kind of the catalogue.')] : [],
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
      // The next span contains it again and skips the sent messages of the same instant.
      if (missed.length === MAX_RECOVERED) return { missed, continueFromMs: message.created_at.getTime() };
      missed.push(message);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { missed, continueFromMs: null };
    after = { atMs: last.created_at.getTime(), id: last.message_id };
  }
}

/** Returns the messages of a page that the webhook wants and has not received. */
async function missedOf(
  deps: Stores,
  webhook: WebhookRecord,
  page: readonly Missed[],
  sinceMs: number,
): Promise<readonly Missed[]> {
  const { tenant_id, webhook_id, source_systems } = webhook;
  const messageIds = page.map(({ message_id }) => message_id);
  const settled = await deps.deliveries(tenant_id).settledOrWaiting(webhook_id, messageIds, sinceMs - CLOCK_SKEW_MS);
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
  // storedMessage wrote the body.
  const { data }: { readonly data: EventDataOf<'event.ingested'> } = JSON.parse(body.toString('utf8'));
  return data.source_system;
};
