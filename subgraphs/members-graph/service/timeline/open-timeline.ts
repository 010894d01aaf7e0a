import type { RequestContext } from '../../../../shared/auth/context.js';
import { isWithin, type Reading, readingOf } from '../../../../shared/auth/reading.js';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import type { Custody } from '../../../../shared/contracts/custody.js';
import type { Documents } from '../../../../shared/contracts/documents.js';
import type { EventReads } from '../../../../shared/contracts/event-reads.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { custodyActorOf } from '../../../../shared/custody/custody-entry.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { type TimelineAsked, timelineWindow } from '../../../../shared/timeline/window.js';
import { type IdentityDeps, linksAround } from '../members/identity.js';
import type { LinkedMember } from '../members/read-members.js';
import type { AppointmentStore } from '../ports/appointment-store.js';
import type { CareTeamStore } from '../ports/care-team-store.js';
import type { ConsentStore } from '../ports/consent-store.js';

export interface OpenTimelineDeps extends IdentityDeps {
  readonly directory: MemberDirectory;
  readonly eventReads: EventReads;
  readonly documents: Documents;
  readonly consents: ConsentStore;
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
  readonly custody: Custody;
  readonly clock: Clock;
}

export interface OpenedTimeline {
  readonly member: LinkedMember | null;
  readonly member_ids: readonly string[];
}

/**
 * Whose timeline it is. The read is in custody before anything of it is given out; null for somebody of whom nothing is
 * known, and for another member under a token. @throws UNAVAILABLE: no custody row, no bytes
 */
export async function openTimeline(
  deps: OpenTimelineDeps,
  context: RequestContext,
  memberId: string,
  asked: TimelineAsked,
): Promise<OpenedTimeline | null> {
  const reading = readingOf(context, 'events:read', asked.purpose);
  timelineWindow(asked);
  const { tenantId } = reading;
  const identity = await deps.directory.identityOf(tenantId, memberId);
  const member_ids = identity?.member_ids ?? [memberId];
  if (!isWithin(reading, member_ids)) return null;
  if (identity === null && !(await isKnown(deps, tenantId, memberId))) return null;
  await recordRead(deps, context, reading, member_ids, asked);
  const survivor = identity?.member_id ?? memberId;
  const member = await deps.members(tenantId).get(survivor);
  if (member === null) return { member: null, member_ids };
  return { member: { member, links: await linksAround(deps.merges(tenantId), [survivor]) }, member_ids };
}

/** A member without a record: events, documents, consents, appointments or care teams may name one all the same. */
async function isKnown(deps: OpenTimelineDeps, tenantId: TenantId, memberId: string): Promise<boolean> {
  const sight = { unredacted: false, before: null, limit: 1 };
  if ((await deps.eventReads.ofMember(tenantId, memberId, sight)).length > 0) return true;
  if ((await deps.documents.list(tenantId, { memberIds: [memberId] }, null, 1)).items.length > 0) return true;
  const first = { limit: 1, order: 'asc' } as const;
  if ((await deps.consents(tenantId).list({ ...first, member_id: memberId })).length > 0) return true;
  if ((await deps.appointments(tenantId).list({ ...first, member_ids: [memberId] })).length > 0) return true;
  return (await deps.careTeam(tenantId).list({ ...first, member_ids: [memberId] })).length > 0;
}

async function recordRead(
  { custody, clock }: OpenTimelineDeps,
  context: RequestContext,
  { tenantId, stated }: Reading,
  member_ids: readonly string[],
  { kinds, from, to, cursor }: TimelineAsked,
): Promise<void> {
  const { member } = context.principal;
  const detail = Object.entries({ kinds, from, to, continued: cursor == null ? null : true });
  await custody.record(tenantId, [
    {
      action: 'READ_TIMELINE',
      subject: { kind: 'MEMBER', id: member_ids[0] ?? '' },
      member_ids,
      actor: custodyActorOf(context),
      at: isoTime(clock.nowMs()),
      request_id: context.requestId,
      ...(stated === null ? {} : { purpose: stated.purpose }),
      ...(member?.requested_by == null ? {} : { recipient: member.requested_by }),
      detail: Object.fromEntries(detail.filter(([, value]) => value != null)) as JsonObject,
    },
  ]);
}
