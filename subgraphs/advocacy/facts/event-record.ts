import type { RequestContext } from '../../../shared/auth/context.js';
import { isWithin, type Reading, readingOf } from '../../../shared/auth/reading.js';
import { type SensitiveView, viewOfEvent } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { EventReads, LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type MemberRecord, recordOf } from './domain/record.js';

export interface EventReadDeps {
  readonly eventReads: EventReads;
  readonly consent: ConsentGate;
}

export interface EventRecordDeps extends EventReadDeps {
  readonly memberDirectory: MemberDirectory;
}

/** Newest other events of the member that are read; an answer says if the member has more. */
const MAX_MEMBER_EVENTS = 200;

/** Identifiers of one person that are read, the surviving one first. */
const MAX_IDENTIFIERS = 5;

export interface EventRequest {
  readonly eventId: string;
  /** Purpose of use as the request states it; consent is checked for it. */
  readonly purpose: string | null;
  /** Record the answer in the ledger. */
  readonly record: boolean;
}

/**
 * Returns the records that this request may read, and its purpose. A member access token only reads; it records nothing.
 *
 * @throws FORBIDDEN, TENANT_REQUIRED
 */
export function readingFor(context: RequestContext, { purpose, record }: EventRequest): Reading {
  const reading = readingOf(context, 'events:read', purpose);
  if (record && reading.memberIds !== null) {
    throw problem('FORBIDDEN', { message: 'A member access token cannot record answers in the ledger.' });
  }
  return reading;
}

/**
 * Returns an event as `GET /v1/events/{id}` shows it to this caller.
 *
 * @throws NOT_FOUND alike for a missing event, another tenant's and another member's
 * @throws FORBIDDEN if consent withholds it
 * @throws DISPOSED
 */
export async function readEvent(
  { eventReads, consent }: EventReadDeps,
  context: RequestContext,
  reading: Reading,
  eventId: string,
): Promise<LedgerEventView> {
  const { tenantId, stated } = reading;
  const event = isIdOf('event', eventId) ? await eventReads.byId(tenantId, eventId, visibilityOf(context)) : null;
  if (event === null) throw problem('NOT_FOUND');
  if (stated === null) return notDisposed(event);
  const original = await originalOf(eventReads, reading, event);
  if (!isWithin(reading, original.member_id === null ? [] : [original.member_id])) throw problem('NOT_FOUND');
  notDisposed(event);
  await refuseWithheld(consent, tenantId, stated, sensitiveViewOf(original));
  return event;
}

/** @throws DISPOSED */
function notDisposed(event: LedgerEventView): LedgerEventView {
  if (event.state === 'DISPOSED') throw problem('DISPOSED');
  return event;
}

const visibilityOf = ({ principal }: RequestContext) => ({
  unredacted: readsOriginals(principal),
});

/** Consent applies to the event as recorded: a label that a redaction hides still counts. */
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

/** Returns the event with its member's other events, under every identifier that was merged into one. */
export async function recordAround(
  deps: EventRecordDeps,
  context: RequestContext,
  reading: Reading,
  event: LedgerEventView,
): Promise<MemberRecord> {
  if (event.member_id === null) return recordOf(event, [], false);
  const { tenantId } = reading;
  const ids = (await deps.memberDirectory.identityOf(tenantId, event.member_id))?.member_ids ?? [event.member_id];
  const query = { ...visibilityOf(context), before: null, limit: MAX_MEMBER_EVENTS };
  const read = await Promise.all(
    ids.slice(0, MAX_IDENTIFIERS).map((id) => deps.eventReads.ofMember(tenantId, id, query)),
  );
  const isCapped = ids.length > MAX_IDENTIFIERS || read.some((events) => events.length === MAX_MEMBER_EVENTS);
  const others = newestFirst(read.flat()).filter(({ event_id }) => event_id !== event.event_id);
  const { kept, withheld } = await consented(deps, reading, others);
  return recordOf(event, kept, isCapped, withheld);
}

/** Splits a record into the events that consent permits and the number it withholds. */
async function consented(
  { eventReads, consent }: EventReadDeps,
  reading: Reading,
  events: readonly LedgerEventView[],
): Promise<{ readonly kept: readonly LedgerEventView[]; readonly withheld: Withheld | null }> {
  const { stated, tenantId } = reading;
  if (stated === null || events.length === 0) return { kept: events, withheld: null };
  const views = await Promise.all(
    events.map(async (event) => ({ event, view: sensitiveViewOf(await originalOf(eventReads, reading, event)) })),
  );
  const { kept, withheld } = await withoutWithheld(consent, tenantId, stated, views, ({ view }) => view);
  return { kept: kept.map(({ event }) => event), withheld };
}

const newestFirst = (events: readonly LedgerEventView[]): readonly LedgerEventView[] => {
  const key = ({ effective_at, event_id }: LedgerEventView): string => `${effective_at ?? ''} ${event_id}`;
  return [...events].sort((a, b) => (key(a) < key(b) ? 1 : -1));
};
