import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import { applyMention, differing } from './domain/member.js';
import type { Mention } from './domain/read-event.js';
import { type Acting, type MemberWriteDeps, memberWrite } from './member-write.js';
import { LEDGER_KEY, type MemberStore, type MemberWrite, type StoredMember, type TenantMembers } from './ports.js';
import { reportUnknown, resolveKnown, type UnknownDeps } from './unknown-members.js';

export interface ApplyDeps extends MemberWriteDeps, UnknownDeps {
  readonly members: MemberStore;
  readonly ids: Ids;
}

const MAX_ATTEMPTS = 5;

/** Applies mentions of members to the directory, in order. */
export async function applyMentions(deps: ApplyDeps, tenantId: TenantId, mentions: readonly Mention[]): Promise<void> {
  const members = deps.members(tenantId);
  const named = [...new Set(mentions.map(({ memberId }) => memberId))];
  const known = new Set((await members.many(named)).map(({ member_id }) => member_id));
  const added: string[] = [];
  for (const each of mentions) {
    if (each.person === null) continue;
    const isNew = await applyOne(deps, members, tenantId, each);
    if (isNew) added.push(each.memberId);
    known.add(each.memberId);
  }
  await resolveKnown(deps, tenantId, added);
  await reportStrangers(deps, tenantId, mentions, known);
}

/** Reports unknown members, unless the directory comes from events only. */
async function reportStrangers(
  deps: ApplyDeps,
  tenantId: TenantId,
  mentions: readonly Mention[],
  known: ReadonlySet<string>,
): Promise<void> {
  const strangers = new Map(
    mentions.filter(({ memberId }) => !known.has(memberId)).map(({ memberId, eventId }) => [memberId, eventId]),
  );
  if (strangers.size === 0 || !(await deps.members(tenantId).hasOwnMembers())) return;
  const reported = await deps.unknowns(tenantId).among([...strangers.keys()]);
  for (const [member_id, event_id] of strangers) {
    if (!reported.has(member_id)) await reportUnknown(deps, tenantId, { member_id, event_id });
  }
}

/** @returns whether the mention added the member */
const applyOne = (deps: ApplyDeps, members: TenantMembers, tenantId: TenantId, mention: Mention): Promise<boolean> =>
  retryOnConflict(
    'member',
    async () => {
      const current = await members.get(mention.memberId);
      const write = writeOf(deps, tenantId, current, mention);
      if (write === null) return false;
      const isDone = current === null ? await members.insert(write) : await members.replace(write, current.revision);
      return isDone ? current === null : undefined;
    },
    MAX_ATTEMPTS,
  );

/** Orders mentions by time, then by event, so that repeating a page has the same result. */
function isLater({ atMs, eventId }: Mention, { told_at, told_event }: StoredMember): boolean {
  const currentMs = told_at?.getTime() ?? Number.NEGATIVE_INFINITY;
  return atMs > currentMs || (atMs === currentMs && eventId >= (told_event ?? ''));
}

/** @returns null if the mention changes nothing */
function writeOf(
  deps: ApplyDeps,
  tenantId: TenantId,
  current: StoredMember | null,
  mention: Mention,
): MemberWrite | null {
  const mentionedAt = new Date(mention.atMs);
  const isNewer = current === null || isLater(mention, current);
  const person = applyMention(current, mention.person ?? {}, isNewer);
  if (current !== null && Object.keys(differing(current, { ...current, ...person })).length === 0) return null;
  const at = new Date(deps.clock.nowMs());
  const acting: Acting = { by: LEDGER_KEY, actor_id: null, work_id: null, event_id: mention.eventId };
  const base = current ?? {
    tenant_id: tenantId,
    member_id: mention.memberId,
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
    told_at: isNewer ? mentionedAt : (current?.told_at ?? mentionedAt),
    told_event: isNewer ? mention.eventId : (current?.told_event ?? null),
  };
  return memberWrite(deps, deps.ids, { current, member, action: current === null ? 'create' : 'update', acting });
}
