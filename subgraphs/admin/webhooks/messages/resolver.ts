import { Arg, Ctx, Directive, Int, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import type { LedgerFollower } from '../../../../shared/contracts/ledger-feed.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { type PublishDeps, publishMessages } from './publish.js';

interface PlatformEventDeps extends PublishDeps {
  readonly follow: LedgerFollower;
}

/** For other parts of the service. Not in the API schema; no API key has its scope. */
@Resolver()
export class PlatformEventResolver {
  readonly #deps: PlatformEventDeps;

  constructor(deps: PlatformEventDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Int, { description: 'Stores platform events and schedules their deliveries; returns their number.' })
  async publishMessages(
    @Ctx() context: RequestContext,
    @Arg('items', () => [JsonScalar], { description: 'Messages (PlatformMessage).' }) items: unknown[],
  ): Promise<number> {
    return publishMessages(this.#deps, authorise(context, INTERNAL_SCOPE), items);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description: 'Reports that chains of the ledger have grown; returns whether a webhook follows them.',
  })
  async ledgerGrown(
    @Ctx() context: RequestContext,
    @Arg('chains', () => [String], { description: 'Source systems of the chains.' }) chains: string[],
  ): Promise<boolean> {
    return this.#deps.follow.grown(authorise(context, INTERNAL_SCOPE), chains);
  }
}
