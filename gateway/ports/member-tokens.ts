import { readMemberToken } from '../../shared/auth/member-token.js';
import { MEMBER_SCOPE } from '../../shared/auth/scopes.js';
import { authenticateMember } from '../../shared/contracts/members.js';
import type { KeyAuthority } from '../../shared/contracts/tenants.js';
import type { Caller } from '../caller.js';

/**
 * Adds member tokens to the key authority. Every request checks its token again, so that a logout, a revocation or an expiry
 * takes effect at once. @throws UNAVAILABLE while the subgraph cannot be reached
 */
export const withMemberTokens = (keys: KeyAuthority, call: Caller): KeyAuthority => ({
  async authenticate(presented, address) {
    if (readMemberToken(presented)?.use !== 'access') return keys.authenticate(presented, address);
    const verdict = await call(authenticateMember, null, { token: presented });
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
