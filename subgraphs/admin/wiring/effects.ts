import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../../shared/outbox/performers.js';
import { ACTOR_COLLECTION } from '../model/actor.js';
import { API_KEY_COLLECTION } from '../model/api-key.js';
import { FEATURE_FLAG_COLLECTION } from '../model/feature-flag.js';
import { LEAD_COLLECTION } from '../model/lead.js';
import { ROLE_COLLECTION } from '../model/role.js';
import { SIGNING_KEY_COLLECTION } from '../model/signing-key.js';
import { TENANT_COLLECTION } from '../model/tenant.js';
import { WEBHOOK_COLLECTION } from '../model/webhook.js';
import type { AdminEffect } from '../service/ports/admin-effects.js';
import type { DeliveryStore } from '../service/ports/delivery-store.js';
import { retireFormerPerformer } from '../service/signing-key-registry.js';
import type { AdminStores } from './stores.js';

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS = [
  TENANT_COLLECTION,
  ACTOR_COLLECTION,
  ROLE_COLLECTION,
  API_KEY_COLLECTION,
  SIGNING_KEY_COLLECTION,
  FEATURE_FLAG_COLLECTION,
  LEAD_COLLECTION,
  WEBHOOK_COLLECTION,
];

/** What follows from writes of this subgraph. */
export function adminOutbox(
  deps: LinkedDeps,
  { signingKeys, successorKey }: Pick<AdminStores, 'signingKeys' | 'successorKey'>,
  deliveries: DeliveryStore,
): Outbox<AdminEffect> {
  const { exceptions } = deps;
  const performers: Performers<AdminEffect> = {
    ...performersOver(deps),
    'successor-key': successorKey,
    'retire-former': retireFormerPerformer({ ...deps, signingKeys, outbox: () => outbox }),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, exception_kind, subject, note }) =>
      exceptions.resolve(tenant_id, exception_kind, subject, note),
    'cancel-deliveries': async ({ tenant_id, webhook_id }) => {
      await deliveries(tenant_id).cancelWaiting(webhook_id);
    },
    'hasten-deliveries': async ({ tenant_id, webhook_id, at }) => {
      await deliveries(tenant_id).hastenWaiting(webhook_id, at.getTime());
    },
  };
  const outbox: Outbox<AdminEffect> = new Outbox<AdminEffect>({ ...deps, performers }, COLLECTIONS_WITH_EFFECTS);
  return outbox;
}
