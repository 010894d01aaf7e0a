import { addressMatcher } from '../../../shared/auth/cidr.js';
import type { Principal } from '../../../shared/auth/context.js';
import { builtInRole } from '../../../shared/auth/roles.js';
import { effectiveScopes, type GrantedScope, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../../shared/cache/answer-age.js';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { KeyAuthority, KeyVerdict } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Reach } from '../tenants/domain.js';
import { readApiKey } from './domain/api-key-format.js';
import { apiKeyStatusAt, keyEndsAtMs } from './domain/api-key-status.js';
import { effectiveGrant } from './domain/key-grant.js';
import type { ActorStore, ApiKeys, KeyUsed, RoleStore, StoredApiKey } from './ports.js';

interface CheckApiKeyDeps {
  readonly keys: Pick<ApiKeys, 'byLookupId' | 'byHmac' | 'within'>;
  readonly actors: Pick<ActorStore, 'within'>;
  readonly roles: Pick<RoleStore, 'scopesOf'>;
  readonly hmac: ApiKeyHmac;
  readonly use: KeyUse;
  readonly clock: Clock;
}

/** The holder of a session's rights: a key, or a person of the sign-in provider. */
export interface Holder {
  readonly name: string;
  /** Null if it grants nothing: its actor is suspended or missing. */
  readonly principal: Principal | null;
  readonly allowedCidrs: readonly string[];
  readonly isAllowedFrom: (address: string | null) => boolean;
  /** Whether a key is neither revoked nor expired at this time. */
  readonly isLiveAt: (nowMs: number) => boolean;
  /** A key ends at this time unless it is revoked before. */
  readonly endsAtMs: number | null;
}

/** The cached data of a key; never the key itself or a value that could replace it. */
interface KnownKey extends Holder {
  readonly key: StoredApiKey;
  readonly hmac: Buffer;
}

/** A person who signed in, as a session keeps it. */
interface PersonInSession {
  readonly tenant_id: Reach;
  readonly actor_id: string;
  /** Roles that the claims of the sign-in name; null where the actor's own roles count. */
  readonly role_ids: readonly string[] | null;
}

/** The HMAC that identifies stored keys. Its secret is derived once: RFC 5869 costs more than a check. */
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
 * Checks presented keys. Each check computes the HMAC of the presented key and compares it in constant time. Only the stored
 * side is cached, for less than 5 s, with the scopes of its roles and actor. Each check tests expiry and address.
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
    if (known.principal === null || !known.isLiveAt(nowMs) || !known.isAllowedFrom(address)) return undefined;
    this.#deps.use.note(known.key.key_id, nowMs, address);
    return known.principal;
  }

  /**
   * Answers another process, which caches the answer as long as this one would. Reads the database, so that the two cache ages
   * do not add up. The other process tests the address at each check.
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
    if (known.principal === null || !known.isLiveAt(nowMs)) return undefined;
    if (known.isAllowedFrom(address)) use.note(known.key.key_id, nowMs, address);
    return {
      principal: known.principal,
      endsAtMs: known.endsAtMs,
      allowedCidrs: known.key.allowed_cidrs,
    };
  }

  /** Returns what a key grants now, for the sessions that it opened; reads the database. */
  async knownById(keyId: string): Promise<KnownKey | undefined> {
    return this.#known((await this.#deps.keys.within(ANY_TENANT).get(keyId)) ?? undefined);
  }

  /** Returns what a person may do now, for the sessions of that person; reads the database. */
  async knownPerson({ tenant_id, actor_id, role_ids }: PersonInSession): Promise<Holder | undefined> {
    const actor = await this.#deps.actors.within(tenant_id).get(actor_id);
    if (actor === null || tenant_id === ANY_TENANT) return undefined;
    const scopes = await this.#scopesOfRoles(tenant_id, role_ids ?? actor.role_ids);
    // A claim of another system never makes an operator.
    const granted = [...new Set(scopes)].filter((scope) => scope !== OPERATOR_SCOPE).sort();
    return {
      name: actor.name,
      allowedCidrs: [],
      isAllowedFrom: () => true,
      isLiveAt: () => true,
      endsAtMs: null,
      principal:
        actor.status === 'ACTIVE'
          ? {
              keyId: actor_id,
              keyName: actor.name,
              actorId: actor_id,
              tenantId: tenant_id,
              grantedScopes: granted,
              scopes: effectiveScopes(granted),
            }
          : null,
    };
  }

  /** Drops a key that this process has created or changed. */
  forget(key: StoredApiKey): void {
    if (key.lookup_id !== null) this.#byLookupId.forget(key.lookup_id);
    this.#byHmac.forget(key.key_hmac);
  }

  /** Drops all keys after this process has changed a role or an actor: any key may depend on it. */
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
    const granted = await this.#grantOf(key);
    return {
      key,
      name: key.name,
      allowedCidrs: key.allowed_cidrs,
      hmac: Buffer.from(key.key_hmac, 'hex'),
      isLiveAt: (nowMs) => isLive(key, nowMs),
      endsAtMs: keyEndsAtMs(key),
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

  async #grantOf(key: StoredApiKey): Promise<readonly GrantedScope[] | null> {
    const isOperatorKey = key.tenant_id === ANY_TENANT;
    const actor = key.actor_id === null ? null : await this.#deps.actors.within(key.tenant_id).get(key.actor_id);
    if (key.actor_id !== null && actor?.status !== 'ACTIVE') return null;
    return effectiveGrant({
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

/** Precision of `last_used_at` and `last_used_address`: each key is written at most once in this time. */
const USE_WRITE_INTERVAL_MS = 60_000;

/** Records the last use of keys in the background; it never delays or fails a request. */
export class KeyUse {
  readonly #keys: Pick<ApiKeys, 'markUsed'>;
  readonly #logger: Logger;
  /** Start of the last write of each key; older entries than the interval are dropped at the next write. */
  readonly #written = new Map<string, number>();
  #waiting = new Map<string, KeyUsed>();
  #writing: Promise<void> | undefined;

  constructor(keys: Pick<ApiKeys, 'markUsed'>, logger: Logger) {
    this.#keys = keys;
    this.#logger = logger;
  }

  note(keyId: string, nowMs: number, address: string | null): void {
    const last = this.#written.get(keyId);
    if (last !== undefined && nowMs - last < USE_WRITE_INTERVAL_MS) return;
    this.#written.set(keyId, nowMs);
    this.#waiting.set(keyId, { at: new Date(nowMs), address });
    this.#writing ??= this.#writeAll(nowMs);
  }

  /** Resolves when all uses noted so far are written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(nowMs: number): Promise<void> {
    for (const [keyId, writtenMs] of this.#written) {
      if (nowMs - writtenMs >= USE_WRITE_INTERVAL_MS) this.#written.delete(keyId);
    }
    while (this.#waiting.size > 0) {
      const uses = this.#waiting;
      this.#waiting = new Map();
      await this.#write(uses);
    }
    // Reset synchronously after the last check of #waiting, so that no use in between is lost.
    this.#writing = undefined;
  }

  async #write(uses: ReadonlyMap<string, KeyUsed>): Promise<void> {
    try {
      await this.#keys.markUsed(uses);
    } catch (error) {
      // A lost time of last use must not fail a request.
      this.#logger.warn({ ...describeUnexpected(error), keys: uses.size }, 'could not write the last use of API keys');
    }
  }
}
