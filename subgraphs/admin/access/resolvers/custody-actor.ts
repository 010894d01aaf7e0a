import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import type { ReferencesTo } from '../../../../shared/graph/edges/references.js';
import { type ActorReadDeps, type ApiKeyReadDeps, actorReferences, apiKeyReferences } from '../resolver.js';
import { Actor } from '../schema/actor.js';
import { ApiKey } from '../schema/api-key.js';
import { CustodyActor } from '../schema/custody-actor.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };

/** The records behind the actors of custody, for administrators. */
@Resolver(() => CustodyActor)
export class CustodyActorResolver {
  readonly #actors: ReferencesTo<Actor>;
  readonly #keys: ReferencesTo<ApiKey>;

  constructor(deps: ActorReadDeps & ApiKeyReadDeps) {
    this.#actors = actorReferences(deps);
    this.#keys = apiKeyReferences(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => Actor, {
    nullable: true,
    description: 'The person or the system; null for a key without one, for the service, and out of reach.',
  })
  async actor(@Root() { type, id }: CustodyActor, @Ctx() context: RequestContext): Promise<Actor | null> {
    return type === 'ACTOR' ? this.#actors({ actor_id: id }, context) : null;
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => ApiKey, {
    nullable: true,
    description: 'The key without a person or a system; null for an actor, for the service, and out of reach.',
  })
  async api_key(@Root() { type, id }: CustodyActor, @Ctx() context: RequestContext): Promise<ApiKey | null> {
    return type === 'KEY' ? this.#keys({ key_id: id }, context) : null;
  }
}
