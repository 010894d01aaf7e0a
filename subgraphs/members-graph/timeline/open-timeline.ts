import type { RequestContext } from '../../../shared/auth/context.js';
import { isWithin, type Reading, readingOf } from '../../../shared/auth/reading.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { Custody } from '../../../shared/contracts/custody.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { judgedEntries, plainView, type TimelineEntry, type TimelinePart } from '../../../shared/timeline/entry.js';
import { type TimelineAsked, type TimelineWindow, timelineWindow } from '../../../shared/timeline/window.js';
import { type IdentityDeps, isKnown, type KnownDeps, type LinkedMember, shownLinks } from '../members/index.js';

export interface OpenTimelineDeps extends IdentityDeps, KnownDeps {
  readonly directory: MemberDirectory;
  readonly custody: Custody;
  readonly clock: Clock;
}

interface OpenedTimeline {
  readonly member: LinkedMember | null;
  readonly member_ids: readonly string[];
}

/**
 * Returns the member of the timeline. Records the read in custody before returning any data.
 *
 * @returns null for an unknown member, and for another member under a token
 * @throws UNAVAILABLE if the custody row cannot be written
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
  return { member: { member, links: await shownLinks(deps, tenantId, [member]) }, member_ids };
}

async function recordRead(
  { custody, clock }: OpenTimelineDeps,
  context: RequestContext,
  { tenantId, stated }: Reading,
  member_ids: readonly string[],
  { kinds, code, provider, outcome, from, to, cursor }: TimelineAsked,
): Promise<void> {
  const { member } = context.principal;
  const detail = { kinds, code, provider, outcome, from, to, continued: cursor == null ? null : true };
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
      detail: withoutNulls(detail),
    },
  ]);
}

/** A kind of record on the timeline: its consent category and its mapping to an entry. */
export interface TimelineSource<Row> {
  readonly category: string;
  readonly entryOf: (row: Row) => Pick<TimelineEntry, 'kind' | 'id' | 'type' | 'status'> & {
    readonly at: Date;
    readonly record: object;
  };
}

/** Lists one kind of record of a member as a part of the timeline; consent may withhold records. */
export async function timelinePart<Row>(
  consent: ConsentGate,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, content: __, ...window }: TimelineWindow,
  {
    category,
    entryOf,
    page,
  }: TimelineSource<Row> & { readonly page: (window: Omit<TimelineWindow, 'kinds' | 'content'>) => Promise<Page<Row>> },
): Promise<TimelinePart> {
  const { items, next_cursor } = await page(window);
  const records = items.map((row) => {
    const { at, ...entry } = entryOf(row);
    return {
      entry: { ...entry, at: isoTime(at.getTime()), member_id: memberId, source_system: null },
      view: plainView(category, memberId),
    };
  });
  return { items: await judgedEntries(consent, tenantId, stated, records), next_cursor };
}
