import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { apiKeyStatusAt } from '../domain/api-key-status.js';
import { reachOf } from '../domain/key-grant.js';
import type { KeyCheck } from './check-api-key.js';
import type { ApiKeyRecord, ApiKeys, StoredApiKey } from './ports.js';

export interface RevokeApiKeyDeps {
  readonly keys: ApiKeys;
  readonly check: KeyCheck;
  readonly clock: Clock;
}

/**
 * Ends a key for good; its record stays. Seen at once in this process and within 5 s in any other. Revoking again
 * changes nothing. @throws NOT_FOUND for a key out of the caller's reach, CONFLICT for the last live operator key.
 */
export async function revokeApiKey(
  deps: RevokeApiKeyDeps,
  context: RequestContext,
  keyId: string,
): Promise<ApiKeyRecord> {
  requireScope(context, 'admin');
  const keys = deps.keys.within(reachOf(context.principal, context.tenantId));
  const found = isIdOf('key', keyId) ? await keys.get(keyId) : null;
  if (found === null) throw problem('NOT_FOUND');
  const nowMs = deps.clock.nowMs();
  if (await isLastOperatorKey(deps.keys, found, nowMs)) {
    throw problem('CONFLICT', { message: 'The last operator key cannot be revoked; make another one first.' });
  }
  const revoked = await keys.revoke(keyId, new Date(nowMs), context.principal.keyId);
  if (revoked === null) throw problem('NOT_FOUND');
  deps.check.forget(revoked);
  return revoked;
}

// Two operators who revoke each other's key in the same instant both pass: the next start then makes a new one.
async function isLastOperatorKey(keys: ApiKeys, key: StoredApiKey, nowMs: number): Promise<boolean> {
  if (key.tenant_id !== ANY_TENANT || !key.scopes.includes(OPERATOR_SCOPE)) return false;
  return apiKeyStatusAt(key, nowMs) === 'ACTIVE' && !(await keys.hasLiveOperatorKeyBeside(key.key_id, nowMs));
}
