import { addressMatcher } from '../../../shared/auth/cidr.js';
import type { Principal } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import { effectiveScopes, type GrantedScope } from '../../../shared/auth/scopes.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../../shared/cache/answer-age.js';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { KeyAuthority, KeyVerdict } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { readApiKey } from '../domain/api-key-format.js';
import { apiKeyStatusAt, keyEndsAtMs } from '../domain/api-key-status.js';
import { keyWorth } from '../domain/key-worth.js';
import type { KeyUse } from './key-use.js';
import type { ActorStore } from './ports/actor-store.js';
import type { RoleStore } from './ports/role-store.js';
import type { ApiKeys, StoredApiKey } from './ports.js';

export interface CheckApiKeyDeps {
  readonly keys: Pick<ApiKeys, 'byLookupId' | 'byHmac'>;
  readonly actors: Pick<ActorStore, 'within'>;
  readonly roles: Pick<RoleStore, 'scopesOf'>;
  readonly hmac: ApiKeyHmac;
  readonly use: KeyUse;
  readonly clock: Clock;
}

/** What is cached of a key: never the key itself, nor anything that could stand in for it. */
interface KnownKey {
  readonly key: StoredApiKey;
  readonly hmac: Buffer;
  /** Null when it comes to nothing: its actor is suspended or gone. */
  readonly principal: Principal | null;
  readonly isAllowedFrom: (address: string | null) => boolean;
}

/** The HMAC under which keys are stored; its key is derived once (RFC 5869 costs more than the check itself). */
export class ApiKeyHmac {
  readonly #secret: Buffer;

  constructor(masterKey: MasterKey) {
    this.#secret = masterKey.derive('api-key-hmac');
  }

  of(apiKey: string): Buffer {
    return hmacSha256(this.#secret, apiKey);
  }
}

/**
 * Checks presented keys. The HMAC of what is presented is computed and compared every time, in constant time; only the
 * stored side is cached, for less than 5 s, and with it what roles and actor make of the key. Expiry and address are
 * judged at each check.
 */
export class KeyCheck implements KeyAuthority {
  readonly #deps: CheckApiKeyDeps;
  readonly #byLookupId: FreshCache<KnownKey>;
  readonly #byHmac: FreshCache<KnownKey>;

  constructor(deps: CheckApiKeyDeps) {
    this.#deps = deps;
    const cache = (load: (key: string) => Promise<StoredApiKey | undefined>): FreshCache<KnownKey> =>
      new FreshCache({
        clock: deps.clock,
        maxAgeMs: ANSWER_MAX_AGE_MS,
        absentMaxAgeMs: ABSENT_MAX_AGE_MS,
        maxEntries: MAX_CACHED_ANSWERS,
        load: async (key) => this.#known(await load(key)),
      });
    this.#byLookupId = cache((lookupId) => deps.keys.byLookupId(lookupId));
    this.#byHmac = cache((keyHmac) => deps.keys.byHmac(keyHmac));
  }

  async authenticate(apiKey: string, address: string | null): Promise<Principal | undefined> {
    const presented = this.#presented(apiKey);
    if (presented === undefined) return undefined;
    const { hmac, lookupId } = presented;
    const known =
      lookupId === null ? await this.#byHmac.get(hmac.toString('hex')) : await this.#byLookupId.get(lookupId);
    if (known === undefined || !equalInConstantTime(known.hmac, hmac)) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    if (known.principal === null || !isLive(known.key, nowMs) || !known.isAllowedFrom(address)) return undefined;
    this.#deps.use.note(known.key.key_id, nowMs, address);
    return known.principal;
  }

  /**
   * For another process, which keeps the answer for as long as this one would: asked of the database itself, so that the
   * two ages do not add up. Where the key may come from is judged there, at each check.
   */
  async verdict(apiKey: string, address: string | null): Promise<KeyVerdict | undefined> {
    const presented = this.#presented(apiKey);
    if (presented === undefined) return undefined;
    const { hmac, lookupId } = presented;
    const { keys, use, clock } = this.#deps;
    const key = lookupId === null ? await keys.byHmac(hmac.toString('hex')) : await keys.byLookupId(lookupId);
    const known = await this.#known(key);
    if (known === undefined || !equalInConstantTime(known.hmac, hmac)) return undefined;
    const nowMs = clock.nowMs();
    if (known.principal === null || !isLive(known.key, nowMs)) return undefined;
    if (known.isAllowedFrom(address)) use.note(known.key.key_id, nowMs, address);
    return {
      principal: known.principal,
      endsAtMs: keyEndsAtMs(known.key),
      allowedCidrs: known.key.allowed_cidrs,
    };
  }

  /** For a key that this process has just made or changed. */
  forget(key: StoredApiKey): void {
    if (key.lookup_id !== null) this.#byLookupId.forget(key.lookup_id);
    this.#byHmac.forget(key.key_hmac);
  }

  /** For a role or an actor that this process has just changed: any key may rest on it. */
  forgetAll(): void {
    this.#byLookupId.forgetAll();
    this.#byHmac.forgetAll();
  }

  #presented(apiKey: string): { readonly hmac: Buffer; readonly lookupId: string | null } | undefined {
    const read = readApiKey(apiKey);
    if (read.kind === 'MISSPELT' || read.kind === 'NO_KEY') return undefined;
    return { hmac: this.#deps.hmac.of(apiKey), lookupId: read.kind === 'OURS' ? read.lookupId : null };
  }

  async #known(key: StoredApiKey | undefined): Promise<KnownKey | undefined> {
    if (key === undefined) return undefined;
    const granted = await this.#worthOf(key);
    return {
      key,
      hmac: Buffer.from(key.key_hmac, 'hex'),
      isAllowedFrom: key.allowed_cidrs.length === 0 ? () => true : addressMatcher(key.allowed_cidrs),
      principal: granted && {
        keyId: key.key_id,
        keyName: key.name,
        actorId: key.actor_id,
        tenantId: key.tenant_id === ANY_TENANT ? null : key.tenant_id,
        grantedScopes: granted,
        scopes: effectiveScopes(granted),
      },
    };
  }

  async #worthOf(key: StoredApiKey): Promise<readonly GrantedScope[] | null> {
    const isOperatorKey = key.tenant_id === ANY_TENANT;
    const actor = key.actor_id === null ? null : await this.#deps.actors.within(key.tenant_id).get(key.actor_id);
    if (key.actor_id !== null && actor?.status !== 'ACTIVE') return null;
    return keyWorth({
      isOperatorKey,
      scopes: key.scopes,
      roleScopes: await this.#scopesOfRoles(key.tenant_id, key.role_ids),
      actorScopes: actor === null ? null : await this.#scopesOfRoles(key.tenant_id, actor.role_ids),
    });
  }

  async #scopesOfRoles(tenantId: StoredApiKey['tenant_id'], roleIds: readonly string[]): Promise<GrantedScope[]> {
    const builtIn = roleIds.flatMap((roleId) => builtInRole(roleId)?.scopes ?? []);
    const own = await this.#deps.roles.scopesOf(
      tenantId,
      roleIds.filter((roleId) => builtInRole(roleId) === undefined),
    );
    return [...builtIn, ...own.flatMap((role) => role.scopes)];
  }
}

const isLive = (key: StoredApiKey, nowMs: number): boolean => {
  const status = apiKeyStatusAt(key, nowMs);
  return status === 'ACTIVE' || status === 'ROTATING';
};
