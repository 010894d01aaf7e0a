import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { requireFreshSignIn } from '../../../shared/auth/step-up.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { platformAct } from '../acts/index.js';
import { reachOf } from '../tenants/domain.js';
import { type ApiKeyDeps, type CreatedKey, mintedRecord } from './create-api-key.js';
import { API_KEY_MACHINE, apiKeyStatusAt, graceEnd } from './domain/api-key-status.js';
import { findRole, requireHeld } from './grants.js';
import type { ApiKeyQuery, ApiKeyRecord, ApiKeys, StoredApiKey } from './ports.js';

const keysOf = ({ keys }: { readonly keys: ApiKeys }, context: RequestContext) => {
  requireScope(context, 'admin');
  return keys.within(reachOf(context.principal, context.tenantId));
};

/**
 * Lists the keys in the caller's reach: a tenant's administrator sees its tenant's keys, an operator those of the tenant it
 * names, or all keys, operator keys included, if it names none.
 */
export async function listApiKeys(
  deps: { readonly keys: ApiKeys; readonly clock: Clock },
  context: RequestContext,
  query: ApiKeyQuery,
): Promise<Page<ApiKeyRecord>> {
  const rows = await keysOf(deps, context).list(query, deps.clock.nowMs());
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.key_id }));
}

/** @returns null alike for a missing key and for one out of reach. */
export async function getApiKey(
  deps: { readonly keys: ApiKeys },
  context: RequestContext,
  keyId: string,
): Promise<StoredApiKey | null> {
  const keys = keysOf(deps, context);
  return isIdOf('key', keyId) ? keys.get(keyId) : null;
}

/** Returns the keys with these identifiers, by the rule of `getApiKey`. */
export const namedApiKeys = async (
  deps: { readonly keys: ApiKeys },
  context: RequestContext,
  keyIds: readonly string[],
): Promise<readonly ApiKeyRecord[]> => keysOf(deps, context).among(keyIds);

async function keyInReach(deps: ApiKeyDeps, context: RequestContext, keyId: string): Promise<StoredApiKey> {
  const found = await getApiKey(deps, context, keyId);
  if (found === null) throw problem('NOT_FOUND');
  return found;
}

/**
 * Revokes a key for good; its record stays. Takes effect at once in this process and within 5 s in any other. Revoking again
 * changes nothing.
 *
 * @throws NOT_FOUND for a key out of the caller's reach, CONFLICT for the last live operator key
 */
export async function revokeApiKey(deps: ApiKeyDeps, context: RequestContext, keyId: string): Promise<ApiKeyRecord> {
  const found = await keyInReach(deps, context, keyId);
  const nowMs = deps.clock.nowMs();
  if (await isLastOperatorKey(deps.keys, found, nowMs)) {
    throw problem('CONFLICT', { message: 'The last operator key cannot be revoked; create another one first.' });
  }
  const step = transition(API_KEY_MACHINE, apiKeyStatusAt(found, nowMs), 'revoke');
  const payload = { key_id: keyId };
  const pending = step.emits.map((type) =>
    platformAct(deps.ids, context, { type, tenantId: found.tenant_id, atMs: nowMs, payload }),
  );
  const set = { revoked_at: new Date(nowMs), revoked_by: context.principal.keyId };
  const revoked = await keysOf(deps, context).change(keyId, { from: {}, set, pending });
  // Another request has revoked it.
  if (revoked === null) deps.check.forget(found);
  return revoked ?? keyInReach(deps, context, keyId);
}

// Two operators who revoke each other's key at the same instant both succeed; the next start then generates a new key.
async function isLastOperatorKey(keys: ApiKeys, key: StoredApiKey, nowMs: number): Promise<boolean> {
  if (key.tenant_id !== ANY_TENANT || !key.scopes.includes(OPERATOR_SCOPE) || key.actor_id !== null) return false;
  const status = apiKeyStatusAt(key, nowMs);
  if (status !== 'ACTIVE' && status !== 'ROTATING') return false;
  return !(await keys.hasOtherLiveOperatorKey(key.key_id, nowMs));
}

interface KeyRotationInput {
  readonly keyId: string;
  /** Time for which the old key still works, never beyond its own expiry; 0 revokes it at once. */
  readonly graceSeconds: number;
}

/**
 * Gives a key a successor with the same name, scopes, roles, actor, addresses and expiry. Both keys change in one write of the
 * old key, so that of concurrent callers one rotates. The caller must hold every scope of the successor.
 *
 * @throws NOT_FOUND, FORBIDDEN, STEP_UP_REQUIRED, INVALID_TRANSITION for a key that is not ACTIVE.
 */
export async function rotateApiKey(
  deps: ApiKeyDeps,
  context: RequestContext,
  { keyId, graceSeconds }: KeyRotationInput,
): Promise<CreatedKey> {
  const found = await keyInReach(deps, context, keyId);
  requireFreshSignIn(context, deps.clock);
  const { ids, randomness } = forWork(deps, context, 'rotate-api-key');
  const nowMs = deps.clock.nowMs();
  const { apiKey, record } = mintedRecord(deps, { ids, randomness }, nowMs);
  const by = context.principal.keyId;
  const successor: StoredApiKey = { ...found, ...record, created_by: by, rotated_from: keyId };
  const keys = deps.keys.within(found.tenant_id);
  // The same work has rotated the key before a crash; the secret of the successor is the same.
  if (found.rotated_to === successor.key_id) return { record: (await keys.get(successor.key_id)) ?? successor, apiKey };
  const step = transition(API_KEY_MACHINE, apiKeyStatusAt(found, nowMs), 'rotate');
  await requireScopesHeld(deps, context, found);
  const at = new Date(nowMs);
  const end =
    graceSeconds === 0 ? { revoked_at: at, revoked_by: by } : { grace_ends_at: graceEnd(found, nowMs, graceSeconds) };
  const payload = { key_id: keyId, successor: successor.key_id, at_once: graceSeconds === 0 };
  const pending = step.emits.map((type) =>
    platformAct(ids, context, { type, tenantId: found.tenant_id, atMs: nowMs, payload }),
  );
  const set = { ...end, rotated_to: successor.key_id };
  const rotated = await keys.change(keyId, { from: { activeAtMs: nowMs }, set, successor, pending });
  if (rotated !== null) return { record: successor, apiKey };
  throw problem('INVALID_TRANSITION', { message: 'Another request has rotated or revoked the key; read it again.' });
}

async function requireScopesHeld(deps: ApiKeyDeps, context: RequestContext, key: StoredApiKey): Promise<void> {
  const roles = await Promise.all(key.role_ids.map((roleId) => findRole(deps.roles, key.tenant_id, roleId)));
  requireHeld(context, [...key.scopes, ...roles.flatMap((role) => role?.scopes ?? [])]);
}
