import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { API_KEY_MACHINE, apiKeyStatusAt } from '../domain/api-key-status.js';
import { reachOf } from '../domain/key-grant.js';
import { API_KEYS, type ApiKeyDeps } from './create-api-key.js';
import { platformAct } from './platform-act.js';
import type { ApiKeyRecord, ApiKeys, StoredApiKey } from './ports.js';

/**
 * Ends a key for good; its record stays. Seen at once in this process and within 5 s in any other. Revoking again
 * changes nothing. @throws NOT_FOUND for a key out of the caller's reach, CONFLICT for the last live operator key.
 */
export async function revokeApiKey(deps: ApiKeyDeps, context: RequestContext, keyId: string): Promise<ApiKeyRecord> {
  requireScope(context, 'admin');
  const keys = deps.keys.within(reachOf(context.principal, context.tenantId));
  const found = await keyInReach(deps.keys, context, keyId);
  const nowMs = deps.clock.nowMs();
  if (await isLastOperatorKey(deps.keys, found, nowMs)) {
    throw problem('CONFLICT', { message: 'The last operator key cannot be revoked; make another one first.' });
  }
  const step = transition(API_KEY_MACHINE, apiKeyStatusAt(found, nowMs), 'revoke');
  const payload = { key_id: keyId };
  const pending = step.emits.map((type) =>
    platformAct(deps.ids, context, { type, tenantId: found.tenant_id, atMs: nowMs, payload }),
  );
  const revoked = await keys.revoke(keyId, { at: new Date(nowMs), by: context.principal.keyId, pending });
  deps.check.forget(found);
  if (revoked === null) return keyInReach(deps.keys, context, keyId);
  await deps.outbox.relay(API_KEYS, keyId, pending);
  return revoked;
}

/** @throws NOT_FOUND, for a missing key as for another tenant's. */
export async function keyInReach(keys: ApiKeys, context: RequestContext, keyId: string): Promise<StoredApiKey> {
  const reach = reachOf(context.principal, context.tenantId);
  const found = isIdOf('key', keyId) ? await keys.within(reach).get(keyId) : null;
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

// Two operators who revoke each other's key in the same instant both pass: the next start then makes a new one.
async function isLastOperatorKey(keys: ApiKeys, key: StoredApiKey, nowMs: number): Promise<boolean> {
  if (key.tenant_id !== ANY_TENANT || !key.scopes.includes(OPERATOR_SCOPE) || key.actor_id !== null) return false;
  const status = apiKeyStatusAt(key, nowMs);
  if (status !== 'ACTIVE' && status !== 'ROTATING') return false;
  return !(await keys.hasLiveOperatorKeyBeside(key.key_id, nowMs));
}
