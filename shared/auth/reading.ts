import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import { authorise, type RequestContext, requireTenant } from './context.js';
import { type HeldScope, MEMBER_SCOPE } from './scopes.js';

/** The records that a request may read, and for which purpose. */
export interface Reading {
  readonly tenantId: TenantId;
  /** Null for a key, which sees every member's; a token sees records of this one person. */
  readonly memberIds: readonly string[] | null;
  /** What consent is asked about; null for a key that states no purpose, which consent does not filter. */
  readonly stated: { readonly purpose: string; readonly actor: string | null } | null;
}

/**
 * Authorises a reader of records. Replaces `authorise` where tokens of member access are accepted too: a key needs the
 * scope; a token reads only its member's records, for its purpose.
 *
 * @param purpose as the request states it. @throws FORBIDDEN, TENANT_REQUIRED
 */
export function readingOf(context: RequestContext, scope: HeldScope, purpose?: string | null): Reading {
  const { member, actorId, keyId, scopes } = context.principal;
  if (member === undefined || !scopes.has(MEMBER_SCOPE)) {
    const tenantId = authorise(context, scope);
    return { tenantId, memberIds: null, stated: purpose == null ? null : { purpose, actor: actorId ?? keyId } };
  }
  if (purpose != null && purpose.toUpperCase() !== member.purpose.toUpperCase()) {
    throw problem('FORBIDDEN', { message: 'This token was given for another purpose.' });
  }
  return {
    tenantId: requireTenant(context),
    memberIds: member.member_ids,
    stated: { purpose: member.purpose, actor: member.requested_by ?? member.member_id },
  };
}

/** True if the reading may include a record of these members: a token reads only its own member's records. */
export const isWithin = ({ memberIds }: Pick<Reading, 'memberIds'>, ofRecord: readonly string[]): boolean =>
  memberIds === null || ofRecord.some((id) => memberIds.includes(id));
