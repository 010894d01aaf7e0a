import type { Principal } from '../../../shared/auth/context.js';
import { effectiveScopes } from '../../../shared/auth/scopes.js';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { KeyAuthority } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { readApiKey } from '../domain/api-key-format.js';
import { apiKeyStatusAt } from '../domain/api-key-status.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../../shared/cache/answer-age.js';
import type { KeyUse } from './key-use.js';
import type { ApiKeys, StoredApiKey } from './ports.js';

export interface CheckApiKeyDeps {
  readonly keys: ApiKeys;
  readonly hmac: ApiKeyHmac;
  readonly use: KeyUse;
  readonly clock: Clock;
}

/** What is cached of a key: never the key itself, nor anything that could stand in for it. */
interface KnownKey {
  readonly key: StoredApiKey;
  readonly hmac: Buffer;
  readonly principal: Principal;
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
 * stored side is cached, for less than 5 s. Expiry is judged by the clock at each check.
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
        load: async (key) => knownKeyOf(await load(key)),
      });
    this.#byLookupId = cache((lookupId) => deps.keys.byLookupId(lookupId));
    this.#byHmac = cache((keyHmac) => deps.keys.byHmac(keyHmac));
  }

  async authenticate(apiKey: string): Promise<Principal | undefined> {
    const read = readApiKey(apiKey);
    if (read.kind === 'MISSPELT' || read.kind === 'NO_KEY') return undefined;
    const presented = this.#deps.hmac.of(apiKey);
    const known =
      read.kind === 'OURS'
        ? await this.#byLookupId.get(read.lookupId)
        : await this.#byHmac.get(presented.toString('hex'));
    if (known === undefined || !equalInConstantTime(known.hmac, presented)) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    if (apiKeyStatusAt(known.key, nowMs) !== 'ACTIVE') return undefined;
    this.#deps.use.note(known.key.key_id, nowMs);
    return known.principal;
  }

  /** For a key that this process has just made or revoked. */
  forget(key: StoredApiKey): void {
    if (key.lookup_id !== null) this.#byLookupId.forget(key.lookup_id);
    this.#byHmac.forget(key.key_hmac);
  }
}

function knownKeyOf(key: StoredApiKey | undefined): KnownKey | undefined {
  if (key === undefined) return undefined;
  return {
    key,
    hmac: Buffer.from(key.key_hmac, 'hex'),
    principal: {
      keyId: key.key_id,
      keyName: key.name,
      actorId: null,
      tenantId: key.tenant_id === ANY_TENANT ? null : key.tenant_id,
      grantedScopes: key.scopes,
      scopes: effectiveScopes(key.scopes),
    },
  };
}
