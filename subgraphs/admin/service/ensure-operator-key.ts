import { internalContext } from '../../../shared/auth/context.js';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { mintApiKey, readApiKey } from '../domain/api-key-format.js';
import { apiKeyStatusAt } from '../domain/api-key-status.js';
import type { ApiKeyHmac } from './check-api-key.js';
import { API_KEYS, createdAct, freshRecord } from './create-api-key.js';
import type { ApiKeys, StoredApiKey } from './ports.js';

export interface EnsureOperatorKeyDeps {
  readonly keys: ApiKeys;
  readonly hmac: ApiKeyHmac;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly clock: Clock;
  readonly outbox: EffectRelay;
  readonly logger: Logger;
}

export interface OperatorKeyOutcome {
  readonly created: boolean;
  /** The key, when it was made here: to be printed once. A key that the operator brought is not repeated. */
  readonly apiKey?: string;
}

/**
 * First start (api.md section 7): with no live operator key one is made, or taken from SERVICE_ADMIN_API_KEY. A given key
 * that the database does not know is taken at any start, since that is how an operator who lost theirs comes back in; a
 * given key that was revoked or has expired stays dead. Of processes that start at once one makes the key.
 * @throws StartRefused when the given key cannot be used and there is no other.
 */
export async function ensureOperatorKey(
  deps: EnsureOperatorKeyDeps,
  givenKey: string | null,
): Promise<OperatorKeyOutcome> {
  return givenKey === null ? makeFirstKey(deps) : takeGivenKey(deps, givenKey);
}

async function makeFirstKey(deps: EnsureOperatorKeyDeps): Promise<OperatorKeyOutcome> {
  // Read before the question: a round taken in between makes the insert below fail, as it should.
  const lastRound = await deps.keys.lastBootstrapRound();
  if (await deps.keys.hasLiveOperatorKeyBeside(null, deps.clock.nowMs())) return { created: false };
  const { apiKey, lookupId } = mintApiKey(deps.randomness);
  const key = operatorKey(deps, apiKey, { name: 'first operator key', lookupId, bootstrapRound: lastRound + 1 });
  return (await inserted(deps, key)) ? { created: true, apiKey } : { created: false };
}

async function takeGivenKey(deps: EnsureOperatorKeyDeps, apiKey: string): Promise<OperatorKeyOutcome> {
  const read = readApiKey(apiKey);
  if (read.kind === 'MISSPELT' || read.kind === 'NO_KEY') {
    throw new StartRefused(
      read.kind === 'MISSPELT'
        ? 'SERVICE_ADMIN_API_KEY has the shape of a key of this service, but not its checksum'
        : 'SERVICE_ADMIN_API_KEY is too short or too long',
    );
  }
  const lookupId = read.kind === 'OURS' ? read.lookupId : null;
  const key = operatorKey(deps, apiKey, { name: 'SERVICE_ADMIN_API_KEY', lookupId, bootstrapRound: null });
  if (await inserted(deps, key)) return { created: true };
  const known = await deps.keys.byHmac(key.key_hmac);
  const nowMs = deps.clock.nowMs();
  const usable = known?.tenant_id === ANY_TENANT && known.scopes.includes(OPERATOR_SCOPE);
  if (known !== undefined && usable && apiKeyStatusAt(known, nowMs) === 'ACTIVE') return { created: false };
  if (!(await deps.keys.hasLiveOperatorKeyBeside(null, nowMs))) {
    throw new StartRefused('SERVICE_ADMIN_API_KEY is no live operator key of this database, and there is no other');
  }
  deps.logger.warn('SERVICE_ADMIN_API_KEY is no live operator key of this database and stays unusable');
  return { created: false };
}

/** The start itself is who did it: no key stands behind the first one. */
const AT_START = internalContext(null, 'start');

async function inserted(deps: EnsureOperatorKeyDeps, key: StoredApiKey): Promise<boolean> {
  const pending = [createdAct(deps.ids, AT_START, key, deps.clock.nowMs())];
  if (!(await deps.keys.insert(key, pending))) return false;
  await deps.outbox.relay(API_KEYS, key.key_id, pending);
  return true;
}

function operatorKey(
  deps: EnsureOperatorKeyDeps,
  apiKey: string,
  of: { readonly name: string; readonly lookupId: string | null; readonly bootstrapRound: number | null },
): StoredApiKey {
  return {
    ...freshRecord(deps.ids, apiKey, deps.clock.nowMs()),
    tenant_id: ANY_TENANT,
    name: of.name,
    scopes: [OPERATOR_SCOPE],
    role_ids: [],
    actor_id: null,
    allowed_cidrs: [],
    created_by: null,
    expires_at: null,
    lookup_id: of.lookupId,
    key_hmac: deps.hmac.of(apiKey).toString('hex'),
    bootstrap_round: of.bootstrapRound,
  };
}
