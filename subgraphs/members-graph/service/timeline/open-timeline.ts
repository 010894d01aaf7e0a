import type { RequestContext } from '../../../../shared/auth/context.js';
import { isWithin, type Reading, readingOf } from '../../../../shared/auth/reading.js';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import type { Custody } from '../../../../shared/contracts/custody.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { custodyActorOf } from '../../../../shared/custody/custody-entry.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { type TimelineAsked, timelineWindow } from '../../../../shared/timeline/window.js';
import { type IdentityDeps, linksAround } from '../members/identity.js';
import { isKnown, type KnownDeps } from '../members/is-known.js';
import type { LinkedMember } from '../members/read-members.js';

export interface OpenTimelineDeps extends IdentityDeps, KnownDeps {
  readonly directory: MemberDirectory;
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
