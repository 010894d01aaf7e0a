import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { type FieldFault, fault, problem } from '../../../../shared/errors/problem.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import { type DemographicsPatch, differing, isPartialDate } from '../../domain/members/demographics.js';
import {
  type Demographics,
  MEMBER_MACHINE,
  type MemberAction,
  NOTHING_KNOWN,
  type OwnStatus,
} from '../../domain/members/member.js';
import { type StoredMember, statusOf } from '../ports/member-store.js';
import { actingOf } from './acting.js';
import { type IdentityDeps, linksAround } from './identity.js';
import { type MemberWriteDeps, memberWrite } from './member-write.js';
import type { LinkedMember } from './read-members.js';

export interface ChangeMemberDeps extends IdentityDeps, WorkDeps, MemberWriteDeps {
  /** Told of a member that is in the directory now. */
  readonly known: (tenantId: TenantId, memberId: string) => Promise<void>;
}

export interface MemberInput extends DemographicsPatch {
  readonly member_id: string;
}

export interface MemberPatch extends DemographicsPatch {
  readonly status?: OwnStatus;
}

/** Writers who meet on one member try again this often. */
const MAX_ATTEMPTS = 5;

/** Puts a member into the directory. @throws VALIDATION_ERROR, CONFLICT when the directory has the identifier */
export async function createMember(
  deps: ChangeMemberDeps,
  context: RequestContext,
  { member_id, ...given }: MemberInput,
): Promise<LinkedMember> {
  const tenantId = authorise(context, 'members:write');
  const known: Demographics = { ...NOTHING_KNOWN, ...given };
  refuseBadDate(known);
  const at = new Date(deps.clock.nowMs());
  const acting = actingOf(context);
  const member: StoredMember = {
    tenant_id: tenantId,
    member_id,
    ...known,
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
  const write = memberWrite(deps, ids, { standing: null, member, action: 'create', acting });
  if (await members.insert(write)) {
    await members.relay(write);
    await deps.known(tenantId, member_id);
    return { member, links: new Map() };
  }
  const standing = await members.get(member_id);
  // The same request, run again after its answer was lost.
  if (standing !== null && acting.work_id !== null && standing.created_work_id === acting.work_id) {
    return { member: standing, links: await linksAround(deps.merges(tenantId), [member_id]) };
  }
  throw problem('CONFLICT', { message: 'The directory has a member of this identifier; change that one.' });
}

export interface MemberUpdate {
  readonly memberId: string;
  readonly patch: MemberPatch;
  /** The revision that it is made on, where the caller names one. */
  readonly revision?: number | undefined;
}

/**
 * Changes a member: what is absent stays, what is given replaces.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR, INVALID_TRANSITION when it is merged, CONFLICT at another revision
 */
export async function updateMember(
  deps: ChangeMemberDeps,
  context: RequestContext,
  { memberId, patch: { status, ...patch }, revision }: MemberUpdate,
): Promise<LinkedMember> {
  const tenantId = authorise(context, 'members:write');
  refuseBadDate(patch);
  const members = deps.members(tenantId);
  const acting = actingOf(context);
  const { ids } = forWork(deps, context, 'update-member-entries');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await members.get(memberId);
    if (standing === null) throw problem('NOT_FOUND');
    const links = await linksAround(deps.merges(tenantId), [memberId]);
    if (acting.work_id !== null && standing.last_work_id === acting.work_id) return { member: standing, links };
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The member is at another revision than the one named.' });
    }
    const action = actionOf(standing, status);
    const from = links.has(memberId) ? 'MERGED' : statusOf(standing);
    transition(MEMBER_MACHINE, from, action);
    const member: StoredMember = {
      ...standing,
      ...patch,
      own_status: status ?? standing.own_status,
      revision: standing.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
      told_at: new Date(deps.clock.nowMs()),
      told_event: null,
      last_work_id: acting.work_id,
    };
    if (action === 'update' && Object.keys(differing(standing, member)).length === 0)
      return { member: standing, links };
    const write = memberWrite(deps, ids, { standing, member, action, acting });
    if (!(await members.replace(write, standing.revision))) continue;
    await members.relay(write);
    return { member, links };
  }
  throw problem('CONFLICT', { message: 'The member is being changed by others; read it and try again.' });
}

function actionOf({ own_status }: StoredMember, wanted: OwnStatus | undefined): MemberAction {
  if (wanted === undefined || wanted === own_status) return 'update';
  return wanted === 'ACTIVE' ? 'activate' : 'deactivate';
}

function refuseBadDate({ birth_date }: DemographicsPatch): void {
  if (birth_date === undefined || birth_date === null || isPartialDate(birth_date)) return;
  const errors: readonly FieldFault[] = [fault('/birth_date', 'date', 'Not a date of the calendar.')];
  throw problem('VALIDATION_ERROR', { errors });
}
