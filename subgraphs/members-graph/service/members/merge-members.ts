import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import type { Ids } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork } from '../../../../shared/ids/work.js';
import type { MemberAction, OwnStatus } from '../../domain/members/member.js';
import { type MergeEntry, type MergeLinks, refusalOf } from '../../domain/members/merges.js';
import type { MembersEffect } from '../ports/member-effects.js';
import type { MemberChange } from '../ports/member-store.js';
import type { MergeWrite } from '../ports/merge-store.js';
import { type Acting, actingOf } from './acting.js';
import type { ChangeMemberDeps } from './change-member.js';
import { linksAround } from './identity.js';
import { recordEntry } from './member-write.js';
import type { LinkedMember } from './read-members.js';

export interface MergeInput {
  /** The record that stands for both from now on. */
  readonly memberId: string;
  readonly sourceId: string;
  readonly reason: string | null;
}

/** Two merges of a tenant that meet are put one after the other. */
const MAX_ATTEMPTS = 20;

/**
 * Lets one record stand for another. Nothing is copied and nothing rewritten: both records, and all that was written under
 * either id, stay as they are; the link says that they are one person. Holds of either id cover both from then on.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR for a source that is not there, CONFLICT for one that cannot be merged
 */
export const mergeMembers = (deps: ChangeMemberDeps, context: RequestContext, input: MergeInput) =>
  append(deps, context, input, 'MERGE', (links) => refusalOf(links, input.sourceId, input.memberId));

/** Takes the link away: both records stand as before. @throws NOT_FOUND, CONFLICT when there is no such link */
export const unmergeMembers = (deps: ChangeMemberDeps, context: RequestContext, input: MergeInput) =>
  append(deps, context, input, 'UNMERGE', (links) =>
    links.get(input.sourceId)?.target_id === input.memberId ? null : 'The one was not merged into the other.',
  );

async function append(
  deps: ChangeMemberDeps,
  context: RequestContext,
  { memberId, sourceId, reason }: MergeInput,
  action: MergeEntry['action'],
  refusal: (links: MergeLinks) => string | null,
): Promise<LinkedMember> {
  const tenantId = authorise(context, 'members:write');
  const members = deps.members(tenantId);
  const merges = deps.merges(tenantId);
  const [target, source] = await Promise.all([members.get(memberId), members.get(sourceId)]);
  if (target === null) throw problem('NOT_FOUND');
  if (source === null) {
    const errors = [fault('/source_member_id', 'unknown', 'The directory has no such member.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  const acting = actingOf(context);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // The number is read first: whatever is written behind the links that are judged takes it away.
    const number = (await merges.last()) + 1;
    const entries = await merges.naming([sourceId]);
    if (acting.work_id === null || !entries.some(({ work_id }) => work_id === acting.work_id)) {
      const links = await linksAround(merges, [sourceId, memberId]);
      const refused = refusal(links);
      if (refused !== null) throw problem('CONFLICT', { message: refused });
      const entry = entryOf(deps, context, { number, action, sourceId, memberId, reason, acting });
      const write = { entry, pending: effectsOf(deps, context, tenantId, entry, source.own_status, acting) };
      if (!(await merges.append(write))) continue;
      await merges.relay(write);
    }
    const member = (await members.get(memberId)) ?? target;
    return { member, links: await linksAround(merges, [memberId]) };
  }
  throw problem('CONFLICT', { message: 'Other members are being merged; try again.' });
}

interface Entered extends Pick<MergeEntry, 'number' | 'action' | 'reason'> {
  readonly sourceId: string;
  readonly memberId: string;
  readonly acting: Acting;
}

function entryOf(deps: ChangeMemberDeps, context: RequestContext, entered: Entered): MergeEntry {
  const { number, action, sourceId, memberId, reason, acting } = entered;
  return {
    number,
    merge_id: forWork(deps, context, `${action}-members`).ids.next('merge'),
    action,
    source_id: sourceId,
    target_id: memberId,
    reason,
    at: new Date(deps.clock.nowMs()),
    by: acting.by,
    actor_id: acting.actor_id,
    work_id: acting.work_id,
  };
}

/** The history of both, the entry in the ledger, and what the record of the one that was merged shows. */
function effectsOf(
  deps: ChangeMemberDeps,
  context: RequestContext,
  tenantId: TenantId,
  { action, source_id, target_id, merge_id, reason, at }: MergeEntry,
  own: OwnStatus,
  acting: Acting,
): MergeWrite['pending'] {
  const { ids } = forWork(deps, context, `${action}-members-entries`);
  const isMerge = action === 'MERGE';
  const change: MemberChange = {
    member_id: source_id,
    revision: null,
    action: actionOf(isMerge, own),
    from: isMerge ? own : 'MERGED',
    to: isMerge ? 'MERGED' : own,
    before: {},
    other_member_id: target_id,
    reason,
    at,
    ...acting,
  };
  const ofTarget = { ...change, member_id: target_id, other_member_id: source_id };
  return [
    ...recordEntry(deps, ids, change, { merge_id })(tenantId),
    kept(ids, tenantId, change),
    kept(ids, tenantId, ofTarget),
    { id: ids.next('effect'), kind: 'show-merge', tenant_id: tenantId, member_id: source_id },
  ];
}

const kept = (ids: Pick<Ids, 'next'>, tenantId: TenantId, change: MemberChange): MembersEffect => ({
  id: ids.next('effect'),
  kind: 'keep-member-change',
  tenant_id: tenantId,
  change,
});

function actionOf(isMerge: boolean, own: OwnStatus): MemberAction {
  if (own === 'ACTIVE') return isMerge ? 'merge' : 'unmerge';
  return isMerge ? 'merge-inactive' : 'unmerge-inactive';
}
