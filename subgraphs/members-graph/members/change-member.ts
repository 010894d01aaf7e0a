import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { changeRow, requireRevision } from '../../../shared/records/conflicts.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  type Demographics,
  type DemographicsPatch,
  differing,
  isPartialDate,
  MEMBER_MACHINE,
  type MemberAction,
  NOTHING_KNOWN,
  type OwnStatus,
} from './domain/member.js';
import { type IdentityDeps, shownLinks } from './identity.js';
import { actingOf, type MemberWriteDeps, memberWrite } from './member-write.js';
import { type StoredMember, statusOf } from './ports.js';
import type { LinkedMember } from './read-members.js';

export interface ChangeMemberDeps extends IdentityDeps, WorkDeps, MemberWriteDeps {
  /** Mention of a member that is in the directory now. */
  readonly known: (tenantId: TenantId, memberId: string) => Promise<void>;
}

interface MemberInput extends DemographicsPatch {
  readonly member_id: string;
}

interface MemberPatch extends DemographicsPatch {
  readonly status?: OwnStatus;
}

/** Adds a member to the directory. @throws VALIDATION_ERROR, CONFLICT if the directory has the identifier */
export async function createMember(
  deps: ChangeMemberDeps,
  context: RequestContext,
  { member_id, ...given }: MemberInput,
): Promise<LinkedMember> {
  const tenantId = authorise(context, 'members:write');
  const demographics: Demographics = { ...NOTHING_KNOWN, ...given };
  requireDate(demographics);
  const at = new Date(deps.clock.nowMs());
  const acting = actingOf(context);
  const member: StoredMember = {
    tenant_id: tenantId,
    member_id,
    ...demographics,
    own_status: 'ACTIVE',
    merged_into: null,
    revision: 1,
    created_at: at,
    created_by: acting.by,
    updated_at: at,
    told_at: at,
    told_event: null,
    created_work_id: acting.work_id,
    last_work_id: acting.work_id,
  };
  const members = deps.members(tenantId);
  const { ids } = forWork(deps, context, 'create-member-entries');
  const write = memberWrite(deps, ids, { current: null, member, action: 'create', acting });
  if (await members.insert(write)) {
    await deps.known(tenantId, member_id);
    return { member, links: new Map() };
  }
  const current = await members.get(member_id);
  // A repeated request after a lost answer.
  if (current !== null && acting.work_id !== null && current.created_work_id === acting.work_id) {
    return { member: current, links: await shownLinks(deps, tenantId, [current]) };
  }
  throw problem('CONFLICT', { message: 'The directory already has a member with this identifier; change that one.' });
}

interface MemberUpdate {
  readonly memberId: string;
  readonly patch: MemberPatch;
  /** Revision that the caller has read. */
  readonly revision?: number | undefined;
}

/**
 * Changes a member: absent members stay, given members replace.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION for a merged member, CONFLICT
 */
export async function updateMember(
  deps: ChangeMemberDeps,
  context: RequestContext,
  { memberId, patch: { status, ...patch }, revision }: MemberUpdate,
): Promise<LinkedMember> {
  const tenantId = authorise(context, 'members:write');
  requireDate(patch);
  const members = deps.members(tenantId);
  const acting = actingOf(context);
  const { ids } = forWork(deps, context, 'update-member-entries');
  const read = async (): Promise<LinkedMember | null> => {
    const member = await members.get(memberId);
    return member && { member, links: await shownLinks(deps, tenantId, [member]) };
  };
  return changeRow('member', read, async (current) => {
    const { member: before, links } = current;
    if (acting.work_id !== null && before.last_work_id === acting.work_id) return current;
    requireRevision('member', before, revision);
    const action = actionOf(before, status);
    transition(MEMBER_MACHINE, links.has(memberId) ? 'MERGED' : statusOf(before), action);
    const at = new Date(deps.clock.nowMs());
    const member: StoredMember = {
      ...before,
      ...patch,
      own_status: status ?? before.own_status,
      revision: before.revision + 1,
      updated_at: at,
      told_at: at,
      told_event: null,
      last_work_id: acting.work_id,
    };
    if (action === 'update' && Object.keys(differing(before, member)).length === 0) return current;
    const write = memberWrite(deps, ids, { current: before, member, action, acting });
    return (await members.replace(write, before.revision)) ? { member, links } : null;
  });
}

function actionOf({ own_status }: StoredMember, wanted: OwnStatus | undefined): MemberAction {
  if (wanted === undefined || wanted === own_status) return 'update';
  return wanted === 'ACTIVE' ? 'activate' : 'deactivate';
}

function requireDate({ birth_date }: DemographicsPatch): void {
  if (birth_date === undefined || birth_date === null || isPartialDate(birth_date)) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/birth_date', 'date', 'Must be a calendar date.')] });
}
