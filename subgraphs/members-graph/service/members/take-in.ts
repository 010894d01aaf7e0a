import type { Ids } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { differing } from '../../domain/members/demographics.js';
import type { Told } from '../../domain/members/told-of.js';
import { withTold } from '../../domain/members/with-told.js';
import {
  LEDGER_KEY,
  type MemberStore,
  type MemberWrite,
  type StoredMember,
  type TenantMembers,
} from '../ports/member-store.js';
import type { Acting } from './acting.js';
import { type MemberWriteDeps, memberWrite } from './member-write.js';
import { tellKnown, tellUnknown, type UnknownDeps } from './unknown-members.js';

export interface TakeInDeps extends MemberWriteDeps, UnknownDeps {
  readonly members: MemberStore;
  readonly ids: Ids;
}

const MAX_ATTEMPTS = 5;

/** Takes what events tell into the directory, in the order given. */
export async function takeIn(deps: TakeInDeps, tenantId: TenantId, told: readonly Told[]): Promise<void> {
  const members = deps.members(tenantId);
  const named = [...new Set(told.map(({ memberId }) => memberId))];
  const known = new Set((await members.many(named)).map(({ member_id }) => member_id));
  const came: string[] = [];
  for (const each of told) {
    if (each.person === null) continue;
    const isNew = await takeInOne(deps, members, tenantId, each);
    if (isNew) came.push(each.memberId);
    known.add(each.memberId);
  }
  await tellKnown(deps, tenantId, came);
  await tellStrangers(deps, tenantId, told, known);
}

/** Only a tenant that keeps its directory itself is told of strangers: where events alone make it, they are no surprise. */
async function tellStrangers(
  deps: TakeInDeps,
  tenantId: TenantId,
  told: readonly Told[],
  known: ReadonlySet<string>,
): Promise<void> {
  const strangers = new Map(
    told.filter(({ memberId }) => !known.has(memberId)).map(({ memberId, eventId }) => [memberId, eventId]),
  );
  if (strangers.size === 0 || !(await deps.members(tenantId).isKept())) return;
  const told_before = await deps.unknowns(tenantId).among([...strangers.keys()]);
  for (const [member_id, event_id] of strangers) {
    if (!told_before.has(member_id)) await tellUnknown(deps, tenantId, { member_id, event_id });
  }
}

/** @returns whether the member came by it. */
async function takeInOne(deps: TakeInDeps, members: TenantMembers, tenantId: TenantId, told: Told): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await members.get(told.memberId);
    const write = writeOf(deps, tenantId, standing, told);
    if (write === null) return false;
    const isDone = standing === null ? await members.insert(write) : await members.replace(write, standing.revision);
    if (!isDone) continue;
    await members.relay(write);
    return standing === null;
  }
  throw new Error('a member is being changed by others; the next look tries again');
}

/** By time, then by event: a page that is taken in again ends as it ended before. */
function isLater({ atMs, eventId }: Told, { told_at, told_event }: StoredMember): boolean {
  const standsAtMs = told_at?.getTime() ?? Number.NEGATIVE_INFINITY;
  return atMs > standsAtMs || (atMs === standsAtMs && eventId >= (told_event ?? ''));
}

/** Null where the event tells nothing new. */
function writeOf(deps: TakeInDeps, tenantId: TenantId, standing: StoredMember | null, told: Told): MemberWrite | null {
  const toldAt = new Date(told.atMs);
  const isNewer = standing === null || isLater(told, standing);
  const person = withTold(standing, told.person ?? {}, isNewer);
  if (standing !== null && Object.keys(differing(standing, { ...standing, ...person })).length === 0) return null;
  const at = new Date(deps.clock.nowMs());
  const acting: Acting = { by: LEDGER_KEY, actor_id: null, work_id: null, event_id: told.eventId };
  const base = standing ?? {
    tenant_id: tenantId,
    member_id: told.memberId,
    own_status: 'ACTIVE' as const,
    merged_into: null,
    revision: 0,
    created_at: at,
    created_by: LEDGER_KEY,
    created_work_id: null,
  };
  const member: StoredMember = {
    ...base,
    ...person,
    revision: base.revision + 1,
    updated_at: at,
    last_work_id: null,
    told_at: isNewer ? toldAt : (standing?.told_at ?? toldAt),
    told_event: isNewer ? told.eventId : (standing?.told_event ?? null),
  };
  return memberWrite(deps, deps.ids, { standing, member, action: standing === null ? 'create' : 'update', acting });
}
