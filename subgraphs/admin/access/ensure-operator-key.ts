import { internalContext } from '../../../shared/auth/context.js';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { ApiKeyHmac } from './check-api-key.js';
import { createdAct, freshRecord } from './create-api-key.js';
import { FOREIGN_KEY_MAX_LENGTH, FOREIGN_KEY_MIN_LENGTH, mintApiKey, readApiKey } from './domain/api-key-format.js';
import { apiKeyStatusAt } from './domain/api-key-status.js';
import type { ApiKeys, StoredApiKey } from './ports.js';

interface EnsureOperatorKeyDeps {
  readonly keys: ApiKeys;
  readonly hmac: ApiKeyHmac;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OperatorKeyOutcome {
  readonly created: boolean;
  /** A generated key, to be printed once; absent for a key that the operator provided. */
  readonly apiKey?: string;
}

/**
 * Ensures a live operator key (api.md section 7): generates one, or stores SERVICE_ADMIN_API_KEY. An unknown provided key is
 * stored at any start, so that an operator who lost the keys regains access. A revoked or expired one stays unusable. Of
 * concurrent starts one generates the key.
 *
 * @throws StartRefused if the provided key is unusable and no other operator key is live
 */
export async function ensureOperatorKey(
  deps: EnsureOperatorKeyDeps,
  providedKey: string | null,
): Promise<OperatorKeyOutcome> {
  return providedKey === null ? generateFirstKey(deps) : storeProvidedKey(deps, providedKey);
}

async function generateFirstKey(deps: EnsureOperatorKeyDeps): Promise<OperatorKeyOutcome> {
  // Read first: if another process takes the round in between, the insert below fails, as intended.
  const lastRound = await deps.keys.lastBootstrapRound();
  if (await deps.keys.hasOtherLiveOperatorKey(null, deps.clock.nowMs())) return { created: false };
  const { apiKey, lookupId } = mintApiKey(deps.randomness);
  const key = operatorKey(deps, apiKey, { name: 'first operator key', lookupId, bootstrapRound: lastRound + 1 });
  return (await inserted(deps, key)) ? { created: true, apiKey } : { created: false };
}

async function storeProvidedKey(deps: EnsureOperatorKeyDeps, apiKey: string): Promise<OperatorKeyOutcome> {
  const read = readApiKey(apiKey);
  if (read.kind === 'MISSPELT' || read.kind === 'NO_KEY') {
    throw new StartRefused(
      read.kind === 'MISSPELT'
        ? 'SERVICE_ADMIN_API_KEY has the format of a key of this service, but a wrong checksum; copy it again'
        : `SERVICE_ADMIN_API_KEY must have ${FOREIGN_KEY_MIN_LENGTH} to ${FOREIGN_KEY_MAX_LENGTH} characters`,
    );
  }
  const lookupId = read.kind === 'OURS' ? read.lookupId : null;
  const key = operatorKey(deps, apiKey, { name: 'SERVICE_ADMIN_API_KEY', lookupId, bootstrapRound: null });
  if (await inserted(deps, key)) return { created: true };
  const known = await deps.keys.byHmac(key.key_hmac);
  const nowMs = deps.clock.nowMs();
  const usable = known?.tenant_id === ANY_TENANT && known.scopes.includes(OPERATOR_SCOPE);
  if (known !== undefined && usable && apiKeyStatusAt(known, nowMs) === 'ACTIVE') return { created: false };
  if (!(await deps.keys.hasOtherLiveOperatorKey(null, nowMs))) {
    throw new StartRefused(
      'SERVICE_ADMIN_API_KEY is not a live operator key of this database, and no other exists; provide another key',
    );
  }
  deps.logger.warn('SERVICE_ADMIN_API_KEY is not a live operator key of this database and stays unusable');
  return { created: false };
}

/** Who asked for an operator key on the machine of the service, and why. */
export interface OperatorKeyOrder {
  readonly reason: string;
  readonly by: string;
}

/** Adds an operator key by the word of who may enter the machine: the one that was printed may be lost. @returns the key */
export async function addOperatorKey(deps: EnsureOperatorKeyDeps, { reason, by }: OperatorKeyOrder): Promise<string> {
  const { apiKey, lookupId } = mintApiKey(deps.randomness);
  const key = operatorKey(deps, apiKey, { name: `operator key of ${by}`, lookupId, bootstrapRound: null });
  const act = createdAct(deps.ids, BY_COMMAND, key, deps.clock.nowMs(), { reason, ordered_by: by });
  if (await deps.keys.insert(key, [act])) return apiKey;
  throw new Error('a unique value of a new API key is taken');
}

/** The authors of keys that no key made: the start of the service, and a command on its machine. */
const AT_START = internalContext(null, 'start');
const BY_COMMAND = internalContext(null, 'operator-key');

const inserted = (deps: EnsureOperatorKeyDeps, key: StoredApiKey): Promise<boolean> =>
  deps.keys.insert(key, [createdAct(deps.ids, AT_START, key, deps.clock.nowMs())]);

function operatorKey(
  deps: EnsureOperatorKeyDeps,
  apiKey: string,
  of: { readonly name: string; readonly lookupId: string | null; readonly bootstrapRound: number | null },
): StoredApiKey {
  return {
    ...freshRecord(deps, { apiKey, lookupId: of.lookupId }, deps.clock.nowMs()),
    tenant_id: ANY_TENANT,
    name: of.name,
    scopes: [OPERATOR_SCOPE],
    role_ids: [],
    actor_id: null,
    allowed_cidrs: [],
    created_by: null,
    expires_at: null,
    bootstrap_round: of.bootstrapRound,
  };
}
