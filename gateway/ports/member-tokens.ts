import { internalContext, type MemberGrant } from '../../shared/auth/context.js';
import { readMemberToken } from '../../shared/auth/member-token.js';
import { MEMBER_SCOPE } from '../../shared/auth/scopes.js';
import type { KeyAuthority } from '../../shared/contracts/tenants.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { SubgraphClient } from '../subgraph-client.js';

const AUTHENTICATE = 'query AuthenticateMember($token: String!) { authenticateMember(token: $token) }';

/** What the members-graph subgraph says of a token that is good now. */
export interface MemberVerdict {
  readonly session_id: string;
  readonly tenant_id: TenantId;
  readonly grant: MemberGrant;
}

/**
 * Keys, and tokens of member access beside them. A token is asked about at every request and never kept: what is logged out,
 * revoked or past its time is refused from that moment on. @throws UNAVAILABLE while the subgraph cannot be reached
 */
export const withMemberTokens = (keys: KeyAuthority, members: SubgraphClient, caller: string): KeyAuthority => ({
  async authenticate(presented, address) {
    if (readMemberToken(presented)?.use !== 'access') return keys.authenticate(presented, address);
    const answer = await members.run(AUTHENTICATE, { token: presented }, internalContext(null, caller));
    const verdict = answer['authenticateMember'] as MemberVerdict | null;
    if (verdict === null) return undefined;
    return {
      keyId: verdict.session_id,
      keyName: verdict.grant.kind === 'AVA' ? 'ava-access' : 'member-auth',
      actorId: null,
      tenantId: verdict.tenant_id,
      grantedScopes: [],
      scopes: new Set([MEMBER_SCOPE]),
      member: verdict.grant,
    };
  },
});
