import type { AdminDeps, LinkedDeps } from '../../shared/contracts/deps.js';
import type { SigningKeys } from '../../shared/contracts/signing-keys.js';
import type { KeyAuthority, TenantDirectory } from '../../shared/contracts/tenants.js';
import { collectionsWithEffects, definitionOf, openSubgraph } from '../../shared/graph/areas.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import { OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import {
  accessArea,
  addOperatorKey,
  ensureOperatorKey,
  type OperatorKeyOrder,
  type OperatorKeyOutcome,
} from './access/index.js';
import { dashboardArea } from './dashboard/index.js';
import { deploymentStore, fixOrigin } from './deployment/index.js';
import { flagsArea } from './flags/index.js';
import { internalArea } from './internal/index.js';
import { jobsArea } from './jobs/index.js';
import { leadsArea } from './leads/index.js';
import type { AdminArea } from './parts.js';
import { savedViewsArea } from './saved-views/index.js';
import { sessionsArea } from './sessions/index.js';
import { signingKeysArea } from './signing-keys/index.js';
import { openStores } from './stores.js';
import { type Tenants, tenantsArea } from './tenants/index.js';
import { webhooksArea } from './webhooks/index.js';

const AREAS: readonly AdminArea[] = [
  tenantsArea,
  accessArea,
  sessionsArea,
  signingKeysArea,
  internalArea,
  flagsArea,
  leadsArea,
  savedViewsArea,
  dashboardArea,
  jobsArea,
  webhooksArea,
];

export const definition = definitionOf('admin', AREAS);

/** Tenants and API keys, which authenticate every request. */
export interface AdminSubgraph extends Subgraph {
  readonly tenants: TenantDirectory;
  readonly keys: KeyAuthority;
  readonly signingKeys: SigningKeys;
  /** Ensures a live operator key; called once after start by the process that may print a key. @throws StartRefused */
  ensureOperatorKey(): Promise<OperatorKeyOutcome>;
  /** Adds an operator key by the word of who may enter the machine. @returns the key, which is not stored. */
  addOperatorKey(order: OperatorKeyOrder): Promise<string>;
}

/** @throws StartRefused if the database was created with another origin or master key */
export async function build(deps: AdminDeps): Promise<AdminSubgraph> {
  const stores = openStores(deps, collectionsWithEffects(AREAS));
  const subgraph = await openSubgraph(definition, AREAS, deps.database, async () => {
    await fixOrigin({ ...deps, deployments: deploymentStore(deps.database.db) }, deps.config.origin);
    await ensureOperatorTenant(deps, stores.tenants);
    return { ...deps, ...stores };
  });
  return {
    ...subgraph,
    tenants: stores.directory,
    keys: stores.authority,
    signingKeys: stores.signing,
    ensureOperatorKey: () => ensureOperatorKey({ ...deps, ...stores }, deps.config.adminApiKey),
    addOperatorKey: (order) => addOperatorKey({ ...deps, ...stores }, order),
  };
}

/** Creates the reserved tenant; its ledger records acts without a tenant. Of concurrent starts one creates it. */
async function ensureOperatorTenant({ ids, clock }: LinkedDeps, tenants: Pick<Tenants, 'insert'>): Promise<void> {
  const reserved = { tenant_id: OPERATOR_TENANT, name: 'Platform operator', status: 'ACTIVE' } as const;
  await tenants.insert({ ...reserved, log_id: ids.next('log'), created_at: new Date(clock.nowMs()) }, []);
}
