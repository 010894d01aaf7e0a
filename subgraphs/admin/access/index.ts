import type { AdminArea } from '../parts.js';
import { ACTOR_MACHINE, API_KEY_MACHINE, ROLE_MACHINE } from './domain/index.js';
import { ACTOR_COLLECTION, API_KEY_COLLECTION, ROLE_COLLECTION } from './model.js';
import { ActorResolver, ApiKeyResolver, RoleResolver } from './resolver.js';

export { ApiKeyHmac, KeyCheck, KeyUse, type KnownKey } from './check-api-key.js';
export {
  addOperatorKey,
  ensureOperatorKey,
  type OperatorKeyOrder,
  type OperatorKeyOutcome,
} from './ensure-operator-key.js';
export { invalid } from './grants.js';
export { ACTOR_COLLECTION, API_KEY_COLLECTION, actorStore, apiKeyStore, roleStore } from './model.js';

/** Actors, roles and API keys. */
export const accessArea: AdminArea = {
  resolvers: [ActorResolver, RoleResolver, ApiKeyResolver],
  stateMachines: [ACTOR_MACHINE, ROLE_MACHINE, API_KEY_MACHINE],
  collections: [ACTOR_COLLECTION, ROLE_COLLECTION, API_KEY_COLLECTION],
  wire: (parts) => ({
    resolvers: [new ActorResolver(parts), new RoleResolver(parts), new ApiKeyResolver(parts)],
    close: () => parts.use.settled(),
  }),
};
