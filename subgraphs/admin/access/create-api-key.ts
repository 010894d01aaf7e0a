import { isCidr } from '../../../shared/auth/cidr.js';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { requireFreshSignIn } from '../../../shared/auth/step-up.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf, type Randomness } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { platformAct } from '../acts/index.js';
import type { Reach } from '../tenants/domain.js';
import type { Tenants } from '../tenants/index.js';
import type { ApiKeyHmac, KeyCheck } from './check-api-key.js';
import { mintApiKey, shownPartsOf } from './domain/api-key-format.js';
import { invalid, requireTenant, rolesExist, rolesToGive, scopesToGive, targetOf } from './grants.js';
import type { ActorStore, ApiKeyRecord, ApiKeys, RoleStore, StoredApiKey } from './ports.js';

export interface ApiKeyDeps extends WorkDeps {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly roles: RoleStore;
  readonly actors: ActorStore;
  readonly check: KeyCheck;
  readonly hmac: ApiKeyHmac;
  readonly clock: Clock;
}

interface NewApiKey {
  /** Default: the tenant of the caller. */
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
  /** Returned once; only its HMAC is stored. */
  readonly apiKey: string;
}

/**
 * Creates an API key and records it.
 *
 * @throws STEP_UP_REQUIRED, TENANT_REQUIRED, TENANT_MISMATCH (a tenant's key names another tenant), FORBIDDEN (scopes or roles not held),
 * VALIDATION_ERROR (unknown scope, role, actor or address block, expiry in the past), NOT_FOUND (no such tenant), CONFLICT (a
 * role is being deleted)
 */
export async function createApiKey(deps: ApiKeyDeps, context: RequestContext, input: NewApiKey): Promise<CreatedKey> {
  requireScope(context, 'admin');
  requireFreshSignIn(context, deps.clock);
  const nowMs = deps.clock.nowMs();
  const wanted = await checkedMembers(deps, context, input, nowMs);
  const { ids, randomness } = forWork(deps, context, 'create-api-key');
  const { apiKey, record } = mintedRecord(deps, { ids, randomness }, nowMs);
  const by = context.principal.keyId;
  const key: StoredApiKey = { ...record, ...wanted, name: input.name, created_by: by };
  const keys = deps.keys.within(key.tenant_id);
  if (!(await deps.keys.insert(key, [createdAct(ids, context, key, nowMs)]))) {
    // The same work has created the key before a crash; its secret is the same.
    const current = await keys.get(key.key_id);
    if (current?.key_hmac !== key.key_hmac) throw new Error('a unique value of a new API key is taken');
    return { record: current, apiKey };
  }
  if (await rolesExist(deps.roles, key.tenant_id, key.role_ids)) return { record: key, apiKey };
  await keys.change(key.key_id, { from: {}, set: { revoked_at: new Date(nowMs), revoked_by: by }, pending: [] });
  throw problem('CONFLICT', { message: 'A role of the key is being deleted.' });
}

type Wanted = Pick<ApiKeyRecord, 'tenant_id' | 'scopes' | 'role_ids' | 'actor_id' | 'allowed_cidrs' | 'expires_at'>;

async function checkedMembers(
  deps: ApiKeyDeps,
  context: RequestContext,
  input: NewApiKey,
  nowMs: number,
): Promise<Wanted> {
  const target = targetOf(context, input.tenant_id);
  const roleIds = [...new Set(input.role_ids ?? [])].sort();
  const scopes = scopesOf(context, target, input.scopes ?? [], roleIds);
  if (target === ANY_TENANT && roleIds.length > 0) {
    throw invalid('/role_ids', 'role', 'An operator key (tenant_id *) holds the scope * and takes no roles.');
  }
  const expiresAt = expiryOf(input.expires_at, nowMs);
  const allowedCidrs = [...new Set(input.allowed_cidrs ?? [])];
  const wrong = allowedCidrs.findIndex((text) => !isCidr(text));
  if (wrong >= 0)
    throw invalid(`/allowed_cidrs/${wrong}`, 'cidr', 'Must be an IPv4 or IPv6 block such as 203.0.113.0/24.');
  await requireTenant(deps.tenants, target);
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
  return scopesToGive(context, target, wanted);
}

async function actorOf(deps: ApiKeyDeps, target: Reach, actorId: string | undefined): Promise<string | null> {
  if (actorId === undefined) return null;
  const found = isIdOf('actor', actorId) ? await deps.actors.within(target).get(actorId) : null;
  // A reach of `*` includes every tenant, but an operator's key is bound to an operator's actor.
  if (found === null || found.tenant_id !== target) throw invalid('/actor_id', 'actor', 'No such actor.');
  return actorId;
}

export const createdAct = (
  ids: Pick<Ids, 'next'>,
  context: Pick<RequestContext, 'principal'>,
  key: ApiKeyRecord,
  atMs: number,
  order: { readonly reason?: string; readonly ordered_by?: string } = {},
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
      ...order,
    },
  });

/** The members that every new key has. @param lookupId null for a key that an operator provided. */
export function freshRecord(
  { ids, hmac }: { readonly ids: Pick<Ids, 'next'>; readonly hmac: ApiKeyHmac },
  { apiKey, lookupId }: { readonly apiKey: string; readonly lookupId: string | null },
  nowMs: number,
) {
  return {
    key_id: ids.next('key'),
    ...shownPartsOf(apiKey),
    lookup_id: lookupId,
    key_hmac: hmac.of(apiKey).toString('hex'),
    bootstrap_round: null,
    created_at: new Date(nowMs),
    grace_ends_at: null,
    rotated_to: null,
    rotated_from: null,
    last_used_at: null,
    last_used_address: null,
    revoked_at: null,
    revoked_by: null,
  } satisfies Partial<StoredApiKey>;
}

/** Generates a key, and the members of its record. */
export function mintedRecord(
  { hmac }: Pick<ApiKeyDeps, 'hmac'>,
  { ids, randomness }: { readonly ids: Pick<Ids, 'next'>; readonly randomness: Randomness },
  nowMs: number,
) {
  const minted = mintApiKey(randomness);
  return { apiKey: minted.apiKey, record: freshRecord({ ids, hmac }, minted, nowMs) };
}

function expiryOf(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null;
  const instantMs = instantOf(text);
  if (instantMs === undefined) throw invalid('/expires_at', 'format', 'Must be an RFC 3339 time with a zone.');
  if (instantMs <= nowMs) throw invalid('/expires_at', 'range', 'Must be in the future.');
  return new Date(instantMs);
}
