import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import { actorOf, requestTaker } from '../../../shared/records/steps.js';
import type { ChangeMemberDeps } from './change-member.js';
import { storedKeys } from './domain/keys.js';
import type { MemberAction, OwnStatus } from './domain/member.js';
import { type MergeEntry, type MergeLinks, mergeConflict } from './domain/merges.js';
import { type IdentityDeps, linksAround } from './identity.js';
import { type Acting, actingOf, stepOfChange } from './member-write.js';
import type { MemberChange, MemberEffect, MergeWrite } from './ports.js';
import type { LinkedMember } from './read-members.js';

interface MergeInput {
  /** The surviving record. */
  readonly memberId: string;
  readonly sourceId: string;
  readonly reason: string | null;
}

/**
 * Merges a record into another. Both records and everything under either id stay unchanged; a link states that they are one
 * person. Holds of either id cover both.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR for an unknown source, CONFLICT for a source that cannot be merged
 */
export const mergeMembers = (deps: ChangeMemberDeps, context: RequestContext, input: MergeInput) =>
  append(deps, context, input, 'MERGE', (links) => mergeConflict(links, input.sourceId, input.memberId));

/** Removes the link of a merge. @throws NOT_FOUND, CONFLICT if there is no such link */
export const unmergeMembers = (deps: ChangeMemberDeps, context: RequestContext, input: MergeInput) =>
  append(deps, context, input, 'UNMERGE', (links) =>
    links.get(input.sourceId)?.target_id === input.memberId ? null : 'The source is not merged into this member.',
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
    const errors = [fault('/source_member_id', 'unknown', 'The directory has no member with this identifier.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  const acting = actingOf(context);
  const factIds = factIdsOf(deps, context, action);
  await merges.change(async (number) => {
    const entries = await merges.naming([sourceId]);
    // The same request run again finds its entry.
    if (acting.work_id !== null && entries.some(({ work_id }) => work_id === acting.work_id)) return null;
    const links = await linksAround(merges, [sourceId, memberId]);
    const refused = refusal(links);
    if (refused !== null) throw problem('CONFLICT', { message: refused });
    const entry = entryOf(deps, context, { number, action, sourceId, memberId, reason, acting });
    return writeOf(deps, context, { tenantId, entry, own: source.own_status, acting, factIds });
  });
  const member = (await members.get(memberId)) ?? target;
  return { member, links: await linksAround(merges, [memberId]) };
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

interface FactIds {
  readonly order: string;
  readonly source: string;
  readonly target: string;
}

/** Fixed before the first attempt, so that an attempt after a lost answer appends the same facts. */
function factIdsOf(deps: ChangeMemberDeps, context: RequestContext, action: MergeEntry['action']): FactIds {
  const { ids } = forWork(deps, context, `${action}-members-facts`);
  return { order: ids.next('effect'), source: ids.next('effect'), target: ids.next('effect') };
}

interface Merged {
  readonly tenantId: TenantId;
  readonly entry: MergeEntry;
  /** Status of the source without merges. */
  readonly own: OwnStatus;
  readonly acting: Acting;
  readonly factIds: FactIds;
}

/** Returns the facts of a merge and its effects: the history of both members, and the update of the source. */
function writeOf(deps: ChangeMemberDeps, context: RequestContext, merged: Merged): MergeWrite {
  const { tenantId, entry, own, acting, factIds } = merged;
  const { source_id, target_id, reason, at, number, merge_id } = entry;
  const isMerge = entry.action === 'MERGE';
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
  const step = {
    ...stepOfChange(deps, tenantId, change, { merge_id }),
    action: change.action,
    actor: actorOf(requestTaker(deps, context)),
    ...(reason === null ? {} : { reason }),
  };
  const family = 'member-merges';
  const order = { ...step, event_family: family, event_type: `${family}.ordered`, details: { merge_id, number } };
  const target = { ...order, event_type: `${family}.${isMerge ? 'joined' : 'parted'}` };
  const { ids } = forWork(deps, context, `${entry.action}-members-entries`);
  return {
    entry,
    steps: {
      order: { ...order, fact_id: factIds.order },
      source: { ...step, fact_id: factIds.source },
      target: { ...target, fact_id: factIds.target },
    },
    pending: [
      kept(ids, tenantId, change),
      kept(ids, tenantId, ofTarget),
      { id: ids.next('effect'), kind: 'show-merge', tenant_id: tenantId, member_id: source_id },
    ],
  };
}

const kept = (ids: Pick<Ids, 'next'>, tenantId: TenantId, change: MemberChange): MemberEffect => ({
  id: ids.next('effect'),
  kind: 'keep-member-change',
  tenant_id: tenantId,
  change,
});

function actionOf(isMerge: boolean, own: OwnStatus): MemberAction {
  if (own === 'ACTIVE') return isMerge ? 'merge' : 'unmerge';
  return isMerge ? 'merge-inactive' : 'unmerge-inactive';
}

/** Writes the current merge of a member into its record, for lists and searches. Idempotent. */
export async function showMerge(
  deps: IdentityDeps & { readonly clock: Clock },
  tenantId: TenantId,
  memberId: string,
): Promise<void> {
  const members = deps.members(tenantId);
  await retryOnConflict('merged member', async () => {
    const links = await linksAround(deps.merges(tenantId), [memberId]);
    const merged_into = links.get(memberId)?.target_id ?? null;
    const current = await members.get(memberId);
    if (current === null || current.merged_into === merged_into) return true;
    const updated_at = new Date(deps.clock.nowMs());
    const member = { ...current, merged_into, revision: current.revision + 1, updated_at };
    return (await members.replace({ member, keys: storedKeys(member), pending: [] }, current.revision)) || undefined;
  });
}
