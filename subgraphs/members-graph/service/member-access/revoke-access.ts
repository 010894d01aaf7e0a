import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { CodeRequest } from '../ports/access-store.js';
import { ACCESS_SCOPES, type AccessDeps } from './access-deps.js';
import { endSessionOf } from './sessions.js';
import { stepOf } from './verify-code.js';

/**
 * Takes back access to a member's record: a code that is not proven proves nothing any more, a token that was given is worth
 * nothing from now on. Again changes nothing. Null for a request that is not there and for another tenant's.
 */
export async function revokeAccess(
  deps: Pick<AccessDeps, 'codes' | 'sessions' | 'clock' | 'ids' | 'randomness' | 'masterKey'>,
  context: RequestContext,
  requestId: string,
): Promise<CodeRequest | null> {
  const codes = deps.codes(authorise(context, ACCESS_SCOPES.AVA));
  const standing = isIdOf('avaRequest', requestId) ? await codes.get(requestId) : null;
  if (standing === null) return null;
  if (standing.status === 'PENDING') await stepOf(deps, context, codes, standing, 'revoke');
  await endSessionOf(deps, context, requestId);
  return codes.get(requestId);
}
