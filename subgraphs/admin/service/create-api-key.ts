import { isCidr } from '../../../shared/auth/cidr.js';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { mintApiKey, shownPartsOf } from '../domain/api-key-format.js';
import { judgeGrant, type Reach } from '../domain/key-grant.js';
import type { ApiKeyHmac, KeyCheck } from './check-api-key.js';
import { areStillThere, invalid, refusalOf, rolesToGive, targetOf } from './grants.js';
import { platformAct } from './platform-act.js';
import type { ActorStore } from './ports/actor-store.js';
import type { RoleStore } from './ports/role-store.js';
import type { ApiKeyRecord, ApiKeys, StoredApiKey, Tenants } from './ports.js';

export interface ApiKeyDeps extends WorkDeps {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly roles: RoleStore;
  readonly actors: ActorStore;
  readonly check: KeyCheck;
  readonly hmac: ApiKeyHmac;
  readonly outbox: EffectRelay;
  readonly clock: Clock;
}

export interface NewApiKey {
  /** The target; a request without it means the tenant of the caller. */
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly scopes?: readonly string[] | undefined;
  readonly role_ids?: readonly string[] | undefined;
  readonly actor_id?: string | undefined;
  readonly allowed_cidrs?: readonly string[] | undefined;
  readonly expires_at?: string | undefined;
}

export interface CreatedKey {
  readonly record: ApiKeyRecord;
  /** Shown this once; only its HMAC is kept. */
  readonly apiKey: string;
}

export const API_KEYS = 'api_keys';

/**
 * Makes a key, and records it. @throws TENANT_REQUIRED, TENANT_MISMATCH (a tenant's key naming another), FORBIDDEN
 * (scopes or roles not held), VALIDATION_ERROR (unknown scope, role, actor or address block, expiry not ahead), NOT_FOUND
 * (no such tenant), CONFLICT (a role is being deleted).
 */
export async function createApiKey(deps: ApiKeyDeps, context: RequestContext, input: NewApiKey): Promise<CreatedKey> {
  requireScope(context, 'admin');
  const nowMs = deps.clock.nowMs();
  const wanted = await judged(deps, context, input, nowMs);
  const { ids, randomness } = forWork(deps, context, 'create-api-key');
  const minted = mintApiKey(randomness);
  const key: StoredApiKey = {
    ...freshRecord(ids, minted.apiKey, nowMs),
    ...wanted,
    name: input.name,
    created_by: context.principal.keyId,
    lookup_id: minted.lookupId,
    key_hmac: deps.hmac.of(minted.apiKey).toString('hex'),
    bootstrap_round: null,
  };
  const pending = [createdAct(ids, context, key, nowMs)];
  if (!(await deps.keys.insert(key, pending))) return madeBefore(deps, key, minted.apiKey);
  deps.check.forget(key);
  if (!(await areStillThere(deps.roles, key.tenant_id, key.role_ids))) {
    const revocation = { at: new Date(nowMs), by: context.principal.keyId, pending: [] };
    await deps.keys.within(key.tenant_id).revoke(key.key_id, revocation);
    throw problem('CONFLICT', { message: 'A role of the key is being deleted.' });
  }
  await deps.outbox.relay(API_KEYS, key.key_id, pending);
  return { record: key, apiKey: minted.apiKey };
}

type Wanted = Pick<ApiKeyRecord, 'tenant_id' | 'scopes' | 'role_ids' | 'actor_id' | 'allowed_cidrs' | 'expires_at'>;

async function judged(deps: ApiKeyDeps, context: RequestContext, input: NewApiKey, nowMs: number): Promise<Wanted> {
  const target = targetOf(context, input.tenant_id);
  const roleIds = [...new Set(input.role_ids ?? [])].sort();
  const scopes = scopesOf(context, target, input.scopes ?? [], roleIds);
  if (target === ANY_TENANT && roleIds.length > 0) {
    throw invalid('/role_ids', 'role', 'An operator key (tenant_id *) holds the scope * and takes no roles.');
  }
  const expiresAt = expiryOf(input.expires_at, nowMs);
  const allowedCidrs = [...new Set(input.allowed_cidrs ?? [])];
  const wrong = allowedCidrs.findIndex((text) => !isCidr(text));
  if (wrong >= 0) throw invalid(`/allowed_cidrs/${wrong}`, 'cidr', 'Not an IPv4 or IPv6 block such as 203.0.113.0/24.');
  if (target !== ANY_TENANT && (await deps.tenants.within(ANY_TENANT).get(target)) === null) {
    throw problem('NOT_FOUND', { message: 'No such tenant.' });
  }
  await rolesToGive(deps.roles, context, target, roleIds);
  return {
    tenant_id: target,
    scopes,
    role_ids: roleIds,
    actor_id: await actorOf(deps, target, input.actor_id),
    allowed_cidrs: allowedCidrs,
    expires_at: expiresAt,
  };
}

function scopesOf(context: RequestContext, target: Reach, wanted: readonly string[], roleIds: readonly string[]) {
  if (wanted.length === 0 && roleIds.length === 0) {
    throw invalid('/scopes', 'required', 'Give the key scopes, or roles.');
  }
  if (wanted.length === 0 && target !== ANY_TENANT) return [];
  const verdict = judgeGrant(context.principal, target, wanted);
  if (verdict.reason !== null) throw refusalOf(verdict);
  return verdict.scopes;
}

async function actorOf(deps: ApiKeyDeps, target: Reach, actorId: string | undefined): Promise<string | null> {
  if (actorId === undefined) return null;
  const found = isIdOf('actor', actorId) ? await deps.actors.within(target).get(actorId) : null;
  // The reach of `*` is everything; an operator's key is bound to an operator's actor.
  if (found === null || found.tenant_id !== target) throw invalid('/actor_id', 'actor', 'No such actor.');
  return actorId;
}

/** A key with this work's id stands already: the work was done before a crash, and the secret comes out the same. */
async function madeBefore(deps: ApiKeyDeps, key: StoredApiKey, apiKey: string): Promise<CreatedKey> {
  const standing = await deps.keys.within(key.tenant_id).get(key.key_id);
  if (standing?.key_hmac !== key.key_hmac) throw new Error('a fresh API key collided with a stored one');
  return { record: standing, apiKey };
}

export const createdAct = (
  ids: Pick<Ids, 'next'>,
  context: Pick<RequestContext, 'principal'>,
  key: ApiKeyRecord,
  atMs: number,
) =>
  platformAct(ids, context, {
    type: 'api-key.created',
    tenantId: key.tenant_id,
    atMs,
    payload: {
      key_id: key.key_id,
      scopes: [...key.scopes],
      role_ids: [...key.role_ids],
      bound_to: key.actor_id,
      restricted: key.allowed_cidrs.length > 0,
      expires: key.expires_at !== null,
    },
  });

/** What every new key has in common, whoever makes it. */
export function freshRecord(ids: Pick<Ids, 'next'>, apiKey: string, nowMs: number) {
  return {
    key_id: ids.next('key'),
    ...shownPartsOf(apiKey),
    created_at: new Date(nowMs),
    grace_ends_at: null,
    rotated_to: null,
    rotated_from: null,
    last_used_at: null,
    last_used_address: null,
    revoked_at: null,
    revoked_by: null,
  } satisfies Partial<ApiKeyRecord>;
}

function expiryOf(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null;
  const instantMs = instantOf(text);
  if (instantMs === undefined) throw invalid('/expires_at', 'format', 'Must be an RFC 3339 time with a zone.');
  if (instantMs <= nowMs) throw invalid('/expires_at', 'range', 'Must be ahead of now.');
  return new Date(instantMs);
}
