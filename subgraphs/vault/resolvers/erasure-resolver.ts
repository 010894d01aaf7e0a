import { Arg, Ctx, Directive, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { ErasureOrder, ErasureState } from '../../../shared/contracts/erasures.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { eraseMember } from '../service/erase-member.js';
import type { SweepDeps } from '../service/sweep-retention.js';

/** For requests of members: in no API schema, and closed to every key by its scope. */
@Resolver()
export class ErasureResolver {
  readonly #deps: SweepDeps;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Disposes of what may go of one member (ErasureState).' })
  async runErasure(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'Whose, and for which request (ErasureOrder).' }) order: unknown,
  ): Promise<ErasureState> {
    return eraseMember(this.#deps, authorise(context, INTERNAL_SCOPE), order as ErasureOrder);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Ends deletions under way; later ones look anew at what is asked for.' })
  async haltDeletions(@Ctx() context: RequestContext): Promise<boolean> {
    await this.#deps.gate.close(authorise(context, INTERNAL_SCOPE));
    return true;
  }
}
