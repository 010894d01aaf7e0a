import type { ExceptionDesk } from '../../../../shared/contracts/exceptions.js';
import { hmacSha256 } from '../../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../../shared/crypto/master-key.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { UnknownStore } from '../ports/member-feed-store.js';
import type { MemberStore } from '../ports/member-store.js';

export interface UnknownDeps {
  readonly exceptions: Pick<ExceptionDesk, 'open' | 'resolve'>;
  readonly masterKey: MasterKey;
  readonly unknowns: UnknownStore;
}

const LOOKED_AT_ONCE = 500;

/** What the exception is about: an exception holds nothing personal, so a keyed hash stands for the member's id. */
const subjectOf = ({ masterKey }: UnknownDeps, tenantId: TenantId, memberId: string): JsonObject => ({
  member_ref: hmacSha256(masterKey.derive('member-reference', tenantId), memberId).toString('hex'),
});

/** An event names a member that the directory does not have: once for each member. */
export async function tellUnknown(
  deps: UnknownDeps,
  tenantId: TenantId,
  unknown: { readonly member_id: string; readonly event_id: string },
): Promise<void> {
  await deps.exceptions.open(tenantId, {
    kind: 'UNKNOWN_MEMBER',
    subject: subjectOf(deps, tenantId, unknown.member_id),
    detail: {
      code: 'MEMBER_NOT_IN_DIRECTORY',
      message: 'The event names a member that the directory does not have.',
      event_id: unknown.event_id,
    },
  });
  await deps.unknowns(tenantId).add(unknown);
}

/** The directory has the member now: the exception resolves by itself. */
export async function tellKnown(deps: UnknownDeps, tenantId: TenantId, memberIds: readonly string[]): Promise<void> {
  const unknowns = deps.unknowns(tenantId);
  for (const memberId of await unknowns.among(memberIds)) {
    const subject = subjectOf(deps, tenantId, memberId);
    await deps.exceptions.resolve(tenantId, 'UNKNOWN_MEMBER', subject, 'The directory has the member now.');
    await unknowns.remove(memberId);
  }
}

/** What a crash between a member's coming and its exception's end left behind. */
export async function sweepUnknown(
  deps: UnknownDeps & { readonly members: MemberStore },
  tenantId: TenantId,
  signal?: AbortSignal,
): Promise<void> {
  let after = '';
  while (signal?.aborted !== true) {
    const ids = await deps.unknowns(tenantId).after(after, LOOKED_AT_ONCE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const there = await deps.members(tenantId).many(ids);
    const known = there.map(({ member_id }) => member_id);
    await tellKnown(deps, tenantId, known);
    after = last;
  }
}
