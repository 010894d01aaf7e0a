import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { forWork } from '../../../shared/ids/work.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { mintApiKey } from '../domain/api-key-format.js';
import { API_KEY_MACHINE, apiKeyStatusAt, graceEnd } from '../domain/api-key-status.js';
import { API_KEYS, type ApiKeyDeps, type CreatedKey, freshRecord } from './create-api-key.js';
import { findRole, requireHeld } from './grants.js';
import { platformAct } from './platform-act.js';
import type { StoredApiKey } from './ports.js';
import { keyInReach } from './revoke-api-key.js';

export interface KeyRotationInput {
  readonly keyId: string;
  /** How long the old key works beside its successor, never beyond its own expiry; 0 ends it at once. */
  readonly graceSeconds: number;
}

/**
 * Gives a key a successor with the same name, scopes, roles, actor, addresses and expiry. Old and new change in one write
 * of the old key, so that of several callers one rotates. Whoever is handed the successor must hold what it grants.
 *
 * @throws NOT_FOUND, FORBIDDEN, INVALID_TRANSITION for a key that is not ACTIVE.
 */
export async function rotateApiKey(
  deps: ApiKeyDeps,
  context: RequestContext,
  { keyId, graceSeconds }: KeyRotationInput,
): Promise<CreatedKey> {
  requireScope(context, 'admin');
  const found = await keyInReach(deps.keys, context, keyId);
  const { ids, randomness } = forWork(deps, context, 'rotate-api-key');
  const minted = mintApiKey(randomness);
  const nowMs = deps.clock.nowMs();
  const successor: StoredApiKey = {
    ...found,
    ...freshRecord(ids, minted.apiKey, nowMs),
    created_by: context.principal.keyId,
    rotated_from: keyId,
    lookup_id: minted.lookupId,
    key_hmac: deps.hmac.of(minted.apiKey).toString('hex'),
    bootstrap_round: null,
  };
  if (found.rotated_to === successor.key_id) return rotatedBefore(deps, successor, minted.apiKey);
  const step = transition(API_KEY_MACHINE, apiKeyStatusAt(found, nowMs), 'rotate');
  await requireWorth(deps, context, found);
  const graceEndsAt = graceSeconds === 0 ? null : graceEnd(found, nowMs, graceSeconds);
  const payload = { key_id: keyId, successor: successor.key_id, at_once: graceEndsAt === null };
  const acts = step.emits.map((type) =>
    platformAct(ids, context, { type, tenantId: found.tenant_id, atMs: nowMs, payload }),
  );
  const rotation = { at: new Date(nowMs), graceEndsAt, by: context.principal.keyId, successor, pending: acts };
  const rotated = await deps.keys.within(found.tenant_id).rotate(keyId, rotation);
  if (rotated === null) throw problem('INVALID_TRANSITION', { message: 'The key was rotated or revoked meanwhile.' });
  await deps.outbox.relay(API_KEYS, keyId, rotated.pending);
  deps.check.forget(found);
  deps.check.forget(successor);
  return { record: successor, apiKey: minted.apiKey };
}

async function requireWorth(deps: ApiKeyDeps, context: RequestContext, key: StoredApiKey): Promise<void> {
  const roles = await Promise.all(key.role_ids.map((roleId) => findRole(deps.roles, key.tenant_id, roleId)));
  requireHeld(context, [...key.scopes, ...roles.flatMap((role) => role?.scopes ?? [])]);
}

/** The same work, done before a crash: the same successor with the same secret. */
async function rotatedBefore(deps: ApiKeyDeps, successor: StoredApiKey, apiKey: string): Promise<CreatedKey> {
  const standing = await deps.keys.within(successor.tenant_id).get(successor.key_id);
  return { record: standing ?? successor, apiKey };
}
