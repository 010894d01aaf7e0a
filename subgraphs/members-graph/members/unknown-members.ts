import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { memberReference } from '../records/index.js';
import type { MemberStore, UnknownStore } from './ports.js';

export interface UnknownDeps {
  readonly exceptions: Pick<ExceptionDesk, 'open' | 'resolve'>;
  readonly masterKey: MasterKey;
  readonly unknowns: UnknownStore;
}

const PAGE = 500;

/** Builds the subject of the exception: exceptions hold nothing personal, so a keyed hash refers to the member. */
const subjectOf = ({ masterKey }: UnknownDeps, tenantId: TenantId, memberId: string): JsonObject => ({
  member_ref: memberReference(masterKey)(tenantId, memberId),
});

/** Opens an exception for an event with a member that the directory does not have. */
export async function reportUnknown(
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

/** Resolves the exceptions of members that the directory has now. */
export async function resolveKnown(deps: UnknownDeps, tenantId: TenantId, memberIds: readonly string[]): Promise<void> {
  const unknowns = deps.unknowns(tenantId);
  for (const memberId of await unknowns.among(memberIds)) {
    const subject = subjectOf(deps, tenantId, memberId);
    await deps.exceptions.resolve(tenantId, 'UNKNOWN_MEMBER', subject, 'The directory has the member now.');
    await unknowns.remove(memberId);
  }
}

/** Resolves exceptions that a crash left open. */
export async function sweepUnknown(
  deps: UnknownDeps & { readonly members: MemberStore },
  tenantId: TenantId,
  signal?: AbortSignal,
): Promise<void> {
  let after = '';
  while (signal?.aborted !== true) {
    const ids = await deps.unknowns(tenantId).after(after, PAGE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const known = await deps.members(tenantId).many(ids);
    await resolveKnown(
      deps,
      tenantId,
      known.map(({ member_id }) => member_id),
    );
    after = last;
  }
}
