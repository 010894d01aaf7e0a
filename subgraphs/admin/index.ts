import type { LinkedDeps } from '../../shared/contracts/deps.js';
import type { SigningKeys } from '../../shared/contracts/signing-keys.js';
import type { KeyAuthority, TenantDirectory } from '../../shared/contracts/tenants.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { ACTOR_MACHINE } from './domain/actor-states.js';
import { API_KEY_MACHINE } from './domain/api-key-status.js';
import { FEATURE_FLAG_MACHINE } from './domain/feature-flag.js';
import { LEAD_MACHINE } from './domain/lead.js';
import { ROLE_MACHINE } from './domain/role-states.js';
import { SIGNING_KEY_MACHINE } from './domain/signing-key-states.js';
import { TENANT_MACHINE } from './domain/tenant-states.js';
import { ACTOR_COLLECTION, actorModel, actorStore } from './model/actor.js';
import { API_KEY_COLLECTION, apiKeyModel, apiKeyRepository, successorKeyPerformer } from './model/api-key.js';
import { areaCounts } from './model/area-counts.js';
import { deploymentModel, deploymentRepository } from './model/deployment.js';
import { FEATURE_FLAG_COLLECTION, featureFlagModel, featureFlagStore } from './model/feature-flag.js';
import { LEAD_COLLECTION, leadModel, leadStore } from './model/lead.js';
import { ROLE_COLLECTION, roleModel, roleStore } from './model/role.js';
import { SIGNING_KEY_COLLECTION, signingKeyModel, signingKeyStore } from './model/signing-key.js';
import { TENANT_COLLECTION, tenantModel, tenantRepository } from './model/tenant.js';
import { ActorResolver } from './resolvers/actors.js';
import { ApiKeyResolver } from './resolvers/api-keys.js';
import { DashboardResolver } from './resolvers/dashboard.js';
import { FeatureFlagResolver } from './resolvers/feature-flags.js';
import { InternalResolver } from './resolvers/internal.js';
import { JobsResolver } from './resolvers/jobs.js';
import { LeadResolver } from './resolvers/leads.js';
import { RoleResolver } from './resolvers/roles.js';
import { SigningKeyResolver } from './resolvers/signing-keys.js';
import { TenantResolver } from './resolvers/tenants.js';
import { DayCount, NamedCount } from './schema/dashboard.js';
import { FlagTargetingRule } from './schema/feature-flag.js';
import { FlagEvaluation } from './schema/flag-evaluation.js';
import { TenantInput } from './schema/tenant.js';
import { ApiKeyHmac, KeyCheck } from './service/check-api-key.js';
import { ensureOperatorKey, type OperatorKeyOutcome } from './service/ensure-operator-key.js';
import { fixOrigin } from './service/fix-origin.js';
import { KeyUse } from './service/key-use.js';
import type { AdminEffect } from './service/ports/admin-effects.js';
import { Signing } from './service/sign.js';
import { retireFormerPerformer } from './service/signing-key-registry.js';
import { CachedTenantDirectory } from './service/tenant-directory.js';

export type { OperatorKeyOutcome } from './service/ensure-operator-key.js';

export const definition: SubgraphDefinition = {
  name: 'admin',
  resolvers: [
    TenantResolver,
    ActorResolver,
    RoleResolver,
    ApiKeyResolver,
    SigningKeyResolver,
    InternalResolver,
    FeatureFlagResolver,
    LeadResolver,
    DashboardResolver,
    JobsResolver,
  ],
  contractTypes: [TenantInput, FlagTargetingRule, FlagEvaluation, NamedCount, DayCount],
  stateMachines: [
    TENANT_MACHINE,
    ACTOR_MACHINE,
    ROLE_MACHINE,
    API_KEY_MACHINE,
    SIGNING_KEY_MACHINE,
    FEATURE_FLAG_MACHINE,
    LEAD_MACHINE,
  ],
};

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS = [
  TENANT_COLLECTION,
  ACTOR_COLLECTION,
  ROLE_COLLECTION,
  API_KEY_COLLECTION,
  SIGNING_KEY_COLLECTION,
  FEATURE_FLAG_COLLECTION,
  LEAD_COLLECTION,
];

/** Tenants and API keys: what every request is let in by. */
export interface AdminSubgraph extends Subgraph {
  readonly tenants: TenantDirectory;
  readonly keys: KeyAuthority;
  readonly signingKeys: SigningKeys;
  /** Called once after start, by the process that may print a key. @throws StartRefused */
  ensureOperatorKey(): Promise<OperatorKeyOutcome>;
}

/** @throws StartRefused when the database was made under another origin or master key. */
export async function build(deps: LinkedDeps): Promise<AdminSubgraph> {
  const { connection } = deps.database;
  const models = [
    tenantModel(connection),
    apiKeyModel(connection),
    deploymentModel(connection),
    actorModel(connection),
    roleModel(connection),
    signingKeyModel(connection),
  ] as const;
  for (const model of models) await model.createIndexes();
  const [tenants, keys, deployments, actors, roles, signingKeys] = [
    tenantRepository(models[0]),
    apiKeyRepository(models[1]),
    deploymentRepository(models[2]),
    actorStore(models[3]),
    roleStore(models[4]),
    signingKeyStore(models[5]),
  ];
  await fixOrigin({ ...deps, deployments }, deps.config.origin);
  // Acts on no tenant are recorded under a tenant of their own; who loses the race finds the winner's.
  const reserved = { tenant_id: OPERATOR_TENANT, name: 'Platform operator', status: 'ACTIVE' } as const;
  await tenants.insert({ ...reserved, log_id: deps.ids.next('log'), created_at: new Date(deps.clock.nowMs()) }, []);

  const directory = new CachedTenantDirectory(tenants, deps.clock);
  const hmac = new ApiKeyHmac(deps.masterKey);
  const use = new KeyUse(keys, deps.logger);
  const check = new KeyCheck({ keys, actors, roles, hmac, use, clock: deps.clock });
  const performers = {
    ...performersOver(deps),
    'successor-key': successorKeyPerformer(models[1]),
    'retire-former': retireFormerPerformer({ ...deps, signingKeys, outbox: () => outbox }),
  };
  const outbox: Outbox<AdminEffect> = new Outbox<AdminEffect>({ ...deps, performers }, COLLECTIONS_WITH_EFFECTS);
  const services = { ...deps, tenants, keys, actors, roles, directory, hmac, check, signingKeys, outbox };
  const signing = new Signing(services);
  const areaModels = [featureFlagModel(connection), leadModel(connection)] as const;
  for (const model of areaModels) await model.createIndexes();
  const flags = featureFlagStore(areaModels[0], outbox);
  const leads = leadStore(areaModels[1], outbox);
  const instances = new Map<unknown, unknown>([
    [TenantResolver, new TenantResolver(services)],
    [ActorResolver, new ActorResolver(services)],
    [RoleResolver, new RoleResolver(services)],
    [ApiKeyResolver, new ApiKeyResolver(services)],
    [SigningKeyResolver, new SigningKeyResolver(services)],
    [InternalResolver, new InternalResolver({ ...services, signing })],
    [FeatureFlagResolver, new FeatureFlagResolver({ ...deps, flags })],
    [LeadResolver, new LeadResolver({ ...deps, leads })],
    [JobsResolver, new JobsResolver(deps)],
    [DashboardResolver, new DashboardResolver({ ...deps, areas: areaCounts(connection) })],
  ]);
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  return {
    name: 'admin',
    schema: graph.schema,
    tenants: directory,
    keys: check,
    signingKeys: signing,
    ensureOperatorKey: () => ensureOperatorKey(services, deps.config.adminApiKey),
    health: () => deployments.ping(),
    background: () => outbox.start(),
    close: () => use.settled(),
  };
}
