import type { RequestContext } from '../../../shared/auth/context.js';
import { isWithin, type Reading, readingOf } from '../../../shared/auth/reading.js';
import { type SensitiveView, viewOfEvent } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { EventReads, LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type MemberRecord, recordOf } from '../domain/facts/record.js';

export interface EventJudgedDeps {
  readonly eventReads: EventReads;
  readonly consent: ConsentGate;
}

export interface EventRecordDeps extends EventJudgedDeps {
  readonly memberDirectory: MemberDirectory;
}

/** Events of the member that are read beside the one judged, the newest; answers say when there are more. */
export const MEMBER_EVENTS_READ = 200;

/** Identifiers of one person that are followed, the surviving one first. */
const MOST_IDENTIFIERS = 5;

export interface EventAsked {
  readonly eventId: string;
  /** For what, as the request states it: consent is asked. */
  readonly purpose: string | null;
  /** Make the answer an entry of the ledger. */
  readonly record: boolean;
}

/**
 * Whose records this request may judge, and for what. A token of member access reads: it makes no entries.
 * @throws FORBIDDEN, TENANT_REQUIRED
 */
export function readingFor(context: RequestContext, { purpose, record }: EventAsked): Reading {
  const reading = readingOf(context, 'events:read', purpose);
  if (record && reading.memberIds !== null) {
    throw problem('FORBIDDEN', { message: 'A token of member access makes no entry of the ledger.' });
  }
  return reading;
}

/**
 * The event that is judged, as `GET /v1/events/{id}` would give it to this reader.
 *
 * @throws NOT_FOUND for one that is not there, another tenant's, and another member's: they must not differ
 * @throws FORBIDDEN where consent withholds it
 * @throws DISPOSED
 */
export async function eventJudged(
  { eventReads, consent }: EventJudgedDeps,
  context: RequestContext,
  reading: Reading,
  eventId: string,
): Promise<LedgerEventView> {
  const { tenantId, stated } = reading;
  const event = isIdOf('event', eventId) ? await eventReads.byId(tenantId, eventId, sightOf(context)) : null;
  if (event === null) throw problem('NOT_FOUND');
  if (stated === null) return standing(event);
  const original = await originalOf(eventReads, reading, event);
  if (!isWithin(reading, original.member_id === null ? [] : [original.member_id])) throw problem('NOT_FOUND');
  standing(event);
  await refuseWithheld(consent, tenantId, stated, sensitiveViewOf(original));
  return event;
}

/** What is disposed of has nothing left to judge. @throws DISPOSED */
function standing(event: LedgerEventView): LedgerEventView {
  if (event.state === 'DISPOSED') throw problem('DISPOSED');
  return event;
}

/** What this reader may see. */
const sightOf = ({ principal }: RequestContext) => ({ unredacted: principal.scopes.has('documents:unredacted') });

/** Consent looks at what was recorded: a label that a redaction hides counts all the same. */
async function originalOf(
  eventReads: EventReads,
  { tenantId }: Reading,
  event: LedgerEventView,
): Promise<LedgerEventView> {
  if (event.state !== 'REDACTED') return event;
  return (await eventReads.byId(tenantId, event.event_id, { unredacted: true })) ?? event;
}

const sensitiveViewOf = ({ member_id, event_family, source_system, payload }: LedgerEventView): SensitiveView =>
  viewOfEvent({ member_id, event_family: event_family ?? '', source_system, payload });

/** The event with what the ledger has of its member, under every identifier that was merged into one. */
export async function recordAround(
  deps: EventRecordDeps,
  context: RequestContext,
  reading: Reading,
  event: LedgerEventView,
): Promise<MemberRecord> {
  if (event.member_id === null) return recordOf(event, [], false);
  const { tenantId } = reading;
  const ids = (await deps.memberDirectory.identityOf(tenantId, event.member_id))?.member_ids ?? [event.member_id];
  const asked = { ...sightOf(context), before: null, limit: MEMBER_EVENTS_READ };
  const read = await Promise.all(
    ids.slice(0, MOST_IDENTIFIERS).map((id) => deps.eventReads.ofMember(tenantId, id, asked)),
  );
  const isCapped = ids.length > MOST_IDENTIFIERS || read.some((events) => events.length === MEMBER_EVENTS_READ);
  const others = newestFirst(read.flat()).filter(({ event_id }) => event_id !== event.event_id);
  const { kept, withheld } = await consented(deps, reading, others);
  return recordOf(event, kept, isCapped, withheld);
}

/** What consent leaves of a record, and how much it keeps out. */
async function consented(
  { eventReads, consent }: EventJudgedDeps,
  reading: Reading,
  events: readonly LedgerEventView[],
): Promise<{ readonly kept: readonly LedgerEventView[]; readonly withheld: Withheld | null }> {
  const { stated, tenantId } = reading;
  if (stated === null || events.length === 0) return { kept: events, withheld: null };
  const judged = await Promise.all(
    events.map(async (event) => ({ event, view: sensitiveViewOf(await originalOf(eventReads, reading, event)) })),
  );
  const { kept, withheld } = await withoutWithheld(consent, tenantId, stated, judged, ({ view }) => view);
  return { kept: kept.map(({ event }) => event), withheld };
}

const newestFirst = (events: readonly LedgerEventView[]): readonly LedgerEventView[] => {
  const key = ({ effective_at, event_id }: LedgerEventView): string => `${effective_at ?? ''} ${event_id}`;
  return [...events].sort((a, b) => (key(a) < key(b) ? 1 : -1));
};
