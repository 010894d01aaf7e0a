import type { LinkedDeps } from '../../shared/contracts/deps.js';
import type { SigningKeys } from '../../shared/contracts/signing-keys.js';
import type { KeyAuthority, TenantDirectory } from '../../shared/contracts/tenants.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import { ACTOR_MACHINE } from './domain/actor-states.js';
import { API_KEY_MACHINE } from './domain/api-key-status.js';
import { FEATURE_FLAG_MACHINE } from './domain/feature-flag.js';
import { LEAD_MACHINE } from './domain/lead.js';
import { ROLE_MACHINE } from './domain/role-states.js';
import { SIGNING_KEY_MACHINE } from './domain/signing-key-states.js';
import { TENANT_MACHINE } from './domain/tenant-states.js';
import { WEBHOOK_MACHINE } from './domain/webhook.js';
import { DELIVERY_MACHINE } from './domain/webhook-delivery.js';
import { areaCounts } from './model/area-counts.js';
import { featureFlagStore } from './model/feature-flag.js';
import { leadStore } from './model/lead.js';
import { deliveryStore } from './model/webhook-delivery.js';
import { messageStore } from './model/webhook-message.js';
import { ActorResolver } from './resolvers/actors.js';
import { ApiKeyResolver } from './resolvers/api-keys.js';
import { DashboardResolver } from './resolvers/dashboard.js';
import { FeatureFlagResolver } from './resolvers/feature-flags.js';
import { InternalResolver } from './resolvers/internal.js';
import { JobsResolver } from './resolvers/jobs.js';
import { LeadResolver } from './resolvers/leads.js';
import { PlatformEventResolver } from './resolvers/platform-events.js';
import { RoleResolver } from './resolvers/roles.js';
import { SigningKeyResolver } from './resolvers/signing-keys.js';
import { TenantResolver } from './resolvers/tenants.js';
import { WebhookDeliveryResolver } from './resolvers/webhook-deliveries.js';
import { WebhookResolver } from './resolvers/webhooks.js';
import { DayCount, NamedCount } from './schema/dashboard.js';
import { FlagTargetingRule } from './schema/feature-flag.js';
import { FlagEvaluation } from './schema/flag-evaluation.js';
import { TenantInput } from './schema/tenant.js';
import { ApiKeyHmac, KeyCheck } from './service/check-api-key.js';
import { ensureOperatorKey, type OperatorKeyOutcome } from './service/ensure-operator-key.js';
import { fixOrigin } from './service/fix-origin.js';
import { KeyUse } from './service/key-use.js';
import type { Tenants } from './service/ports.js';
import { Signing } from './service/sign.js';
import { CachedTenantDirectory } from './service/tenant-directory.js';
import { adminOutbox } from './wiring/effects.js';
import { wirePlatformEvents } from './wiring/platform-events.js';
import { openStores } from './wiring/stores.js';
import { wireWebhooks } from './wiring/webhooks.js';

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
    WebhookResolver,
    WebhookDeliveryResolver,
    PlatformEventResolver,
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
    WEBHOOK_MACHINE,
    DELIVERY_MACHINE,
  ],
};

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
  const { connection, db } = deps.database;
  const stores = await openStores(deps.database);
  const { tenants, keys, deployments, actors, roles } = stores;
  await fixOrigin({ ...deps, deployments }, deps.config.origin);
  await ensureOperatorTenant(deps, tenants);

  const directory = new CachedTenantDirectory(tenants, deps.clock);
  const hmac = new ApiKeyHmac(deps.masterKey);
  const use = new KeyUse(keys, deps.logger);
  const check = new KeyCheck({ keys, actors, roles, hmac, use, clock: deps.clock });
  const deliveries = deliveryStore(db);
  const messages = messageStore(db, () => new Date(deps.clock.nowMs()));
  const outbox = adminOutbox(deps, stores, deliveries);
  const parts = { outbox, deliveries, messages };
  const events = await wirePlatformEvents(deps, { ...parts, webhooks: stores.webhooks });
  const services = { ...deps, ...stores, directory, hmac, check, outbox };
  const signing = new Signing(services);
  const flags = featureFlagStore(stores.flagModel, outbox);
  const leads = leadStore(stores.leadModel, outbox);
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
    ...wireWebhooks(deps, { ...parts, webhooks: events.webhooks, deliveryQueue: events.deliveryQueue }),
    ...events.resolvers,
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
    figures: events.figures,
    background: () => outbox.start(),
    close: async () => {
      await use.settled();
      await events.close();
    },
  };
}

/** Acts on no tenant are recorded under a tenant of their own; who loses the race finds the winner's. */
async function ensureOperatorTenant({ ids, clock }: LinkedDeps, tenants: Pick<Tenants, 'insert'>): Promise<void> {
  const reserved = { tenant_id: OPERATOR_TENANT, name: 'Platform operator', status: 'ACTIVE' } as const;
  await tenants.insert({ ...reserved, log_id: ids.next('log'), created_at: new Date(clock.nowMs()) }, []);
}
