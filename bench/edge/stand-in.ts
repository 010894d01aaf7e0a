import type { Principal } from '../../shared/auth/context.js';
import { effectiveScopes } from '../../shared/auth/scopes.js';
import { systemClock } from '../../shared/clock/clock.js';
import type { TenantSummary } from '../../shared/contracts/tenants.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import { systemRandomness } from '../../shared/ids/ids.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { ApiKeyHmac, KeyCheck, KeyUse } from '../../subgraphs/admin/access/check-api-key.js';
import { mintApiKey } from '../../subgraphs/admin/access/domain/api-key-format.js';
import type { StoredApiKey } from '../../subgraphs/admin/access/ports.js';
import { definition as ledger } from '../../subgraphs/ledger/index.js';

// The surroundings of the measured path: the ledger's real schema over a record in memory, and one API key. There is no
// database, because the bench measures the path to it.

export const TENANT = 'bench' as TenantId;
export const EVENT_ID = 'evt_01JQ0000000000000000000001';
export const MASTER_KEY = new MasterKey(Buffer.alloc(32, 7));

const HASH = 'a3'.repeat(32);

const EVENT = {
  event_id: EVENT_ID,
  tenant_id: TENANT,
  received_at: '2026-03-02T14:11:10.000Z',
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  member_id: 'M-1001',
  source_system: 'um-core',
  source_record_id: 'PA-1001',
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
  outcome: 'DENIED',
  payload: { service: 'MRI of the knee', procedure_codes: ['73721'], diagnosis_codes: ['M25.561'], carc: ['50'] },
  sequence: 42,
  recorded_at: '2026-03-02T14:11:10.004Z',
  prev_hash: HASH,
  entry_hash: HASH,
  worm_sha256: HASH,
  tree_index: null,
  state: 'INCLUDED',
};

/** The ledger's schema; `event` resolves from memory, with a promise like a driver's. */
export const standInLedger = async () =>
  (await buildGraph(ledger, { get: () => ({ event: async () => EVENT }) })).schema;

export const principal: Principal = {
  keyId: 'key_bench',
  keyName: 'bench',
  actorId: null,
  tenantId: TENANT,
  grantedScopes: ['events:read', 'events:write'],
  scopes: effectiveScopes(['events:read', 'events:write']),
};

export const tenants = {
  find: async (): Promise<TenantSummary> => ({ tenant_id: TENANT, log_id: 'log_bench', status: 'ACTIVE' as const }),
};

/** The real key check over one key in memory; after the first look-up it uses its cache, as in production. */
export function keyCheck(): { readonly check: KeyCheck; readonly apiKey: string } {
  const hmac = new ApiKeyHmac(MASTER_KEY);
  const minted = mintApiKey(systemRandomness());
  const key = {
    key_id: principal.keyId,
    tenant_id: TENANT,
    name: principal.keyName,
    scopes: [...principal.grantedScopes],
    role_ids: [],
    actor_id: null,
    allowed_cidrs: [],
    grace_ends_at: null,
    expires_at: null,
    revoked_at: null,
    lookup_id: minted.lookupId,
    key_hmac: hmac.of(minted.apiKey).toString('hex'),
  } as unknown as StoredApiKey;
  const logger = createLogger('silent');
  const keys = { byLookupId: async () => key, byHmac: async () => undefined, markUsed: async () => undefined };
  const use = new KeyUse(keys as unknown as ConstructorParameters<typeof KeyUse>[0], logger);
  const check = new KeyCheck({
    keys,
    actors: { within: () => ({ get: async () => undefined }) },
    roles: { scopesOf: async () => [] },
    hmac,
    use,
    clock: systemClock,
  } as unknown as ConstructorParameters<typeof KeyCheck>[0]);
  return { check, apiKey: minted.apiKey };
}
