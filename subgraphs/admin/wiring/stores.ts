import type { Database } from '../../../shared/db/database.js';
import { actorModel, actorStore } from '../model/actor.js';
import { apiKeyModel, apiKeyRepository, successorKeyPerformer } from '../model/api-key.js';
import { deploymentModel, deploymentRepository } from '../model/deployment.js';
import { featureFlagModel } from '../model/feature-flag.js';
import { leadModel } from '../model/lead.js';
import { roleModel, roleStore } from '../model/role.js';
import { signingKeyModel, signingKeyStore } from '../model/signing-key.js';
import { tenantModel, tenantRepository } from '../model/tenant.js';
import { webhookModel, webhookStore } from '../model/webhook.js';

export type AdminStores = Awaited<ReturnType<typeof openStores>>;

/** Every store of this subgraph, its indexes prepared. */
export async function openStores({ connection }: Pick<Database, 'connection'>) {
  const models = {
    tenants: tenantModel(connection),
    keys: apiKeyModel(connection),
    deployments: deploymentModel(connection),
    actors: actorModel(connection),
    roles: roleModel(connection),
    signingKeys: signingKeyModel(connection),
    flags: featureFlagModel(connection),
    leads: leadModel(connection),
    webhooks: webhookModel(connection),
  };
  for (const model of Object.values(models)) await model.createIndexes();
  return {
    tenants: tenantRepository(models.tenants),
    keys: apiKeyRepository(models.keys),
    successorKey: successorKeyPerformer(models.keys),
    deployments: deploymentRepository(models.deployments),
    actors: actorStore(models.actors),
    roles: roleStore(models.roles),
    signingKeys: signingKeyStore(models.signingKeys),
    webhooks: webhookStore(models.webhooks),
    /** Their stores perform what their writes leave behind, so they are made once there is an outbox. */
    flagModel: models.flags,
    leadModel: models.leads,
  };
}
