import type { AdminArea } from '../parts.js';
import { ACTOR_MACHINE, API_KEY_MACHINE, ROLE_MACHINE } from './domain/index.js';
import { ACTOR_COLLECTION, API_KEY_COLLECTION, actorNames, ROLE_COLLECTION } from './model.js';
import { custodyActorReferences } from './name-actors.js';
import { ActorResolver, ApiKeyResolver, actorReferences, apiKeyReferences, RoleResolver } from './resolver.js';
import { CustodyActorResolver } from './resolvers/custody-actor.js';
import { CustodyActor } from './schema/custody-actor.js';

export { ApiKeyHmac, type Holder, KeyCheck, KeyUse } from './check-api-key.js';
export {
  addOperatorKey,
  ensureOperatorKey,
  type OperatorKeyOrder,
  type OperatorKeyOutcome,
} from './ensure-operator-key.js';
export { invalid } from './grants.js';
export { ACTOR_COLLECTION, API_KEY_COLLECTION, actorStore, apiKeyStore, roleStore } from './model.js';
export type { ActorStore } from './ports.js';

/** Actors, roles and API keys. */
export const accessArea: AdminArea = {
  resolvers: [ActorResolver, RoleResolver, ApiKeyResolver, CustodyActorResolver],
  contractTypes: [CustodyActor],
  references: {
    Actor: actorReferences,
    ApiKey: apiKeyReferences,
    CustodyActor: ({ database: { db } }) => custodyActorReferences(actorNames(db)),
  },
  stateMachines: [ACTOR_MACHINE, ROLE_MACHINE, API_KEY_MACHINE],
  collections: [ACTOR_COLLECTION, ROLE_COLLECTION, API_KEY_COLLECTION],
  wire: (parts) => ({
    resolvers: [
      new ActorResolver(parts),
      new RoleResolver(parts),
      new ApiKeyResolver(parts),
      new CustodyActorResolver(parts),
    ],
    close: () => parts.use.settled(),
  }),
};
