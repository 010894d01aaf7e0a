import { Arg, Ctx, Directive, Int, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { type PublishDeps, publishMessages } from '../service/publish-messages.js';

export interface PlatformEventDeps extends PublishDeps {
  readonly follow: LedgerFollower;
}

/** For the other parts of the service: in no API schema, and closed to every key by its scope. */
@Resolver()
export class PlatformEventResolver {
  readonly #deps: PlatformEventDeps;

  constructor(deps: PlatformEventDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Int, { description: 'Keeps platform events and schedules their deliveries; tells how many it took.' })
  async publishMessages(
    @Ctx() context: RequestContext,
    @Arg('items', () => [JsonScalar], { description: 'Messages (PlatformMessage).' }) items: unknown[],
  ): Promise<number> {
    return publishMessages(this.#deps, authorise(context, INTERNAL_SCOPE), items);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Chains of the ledger have grown; tells whether anybody follows them.' })
  async ledgerGrown(
    @Ctx() context: RequestContext,
    @Arg('chains', () => [String], { description: 'Their source systems.' }) chains: string[],
  ): Promise<boolean> {
    return this.#deps.follow.grown(authorise(context, INTERNAL_SCOPE), chains);
  }
}
