import { Arg, Ctx, Directive, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { LedgerFollower } from '../../../shared/contracts/ledger-feed.js';

/** For the ledger: in no API schema, and closed to every key by its scope. */
@Resolver()
export class GraphFollowResolver {
  readonly #follower: LedgerFollower;

  constructor(follower: LedgerFollower) {
    this.#follower = follower;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Chains of the ledger have grown; tells whether more of it is wanted soon.' })
  async graphLedgerGrown(
    @Ctx() context: RequestContext,
    @Arg('chains', () => [String], { description: 'Their source systems.' }) chains: string[],
  ): Promise<boolean> {
    return this.#follower.grown(authorise(context, INTERNAL_SCOPE), chains);
  }
}
