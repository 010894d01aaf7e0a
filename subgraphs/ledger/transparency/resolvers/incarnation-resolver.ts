import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import { type DeclareDeps, declareIncarnation } from '../declare-incarnation.js';
import { IncarnationArgs, LedgerIncarnation } from '../schema.js';

interface IncarnationResolverDeps extends DeclareDeps, WorkDeps {}

/** The operator's declaration that the tree need not extend its last checkpoint. */
@Resolver()
export class IncarnationResolver {
  readonly #deps: IncarnationResolverDeps;

  constructor(deps: IncarnationResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => LedgerIncarnation, { description: 'Starts a new incarnation of the tree after a regress.' })
  async declareIncarnation(
    @Ctx() context: RequestContext,
    @Args(() => IncarnationArgs) { reason }: IncarnationArgs,
  ): Promise<LedgerIncarnation> {
    const tenantId = authorise(context, 'admin');
    const { ids } = forWork(this.#deps, context, 'declare-incarnation');
    const declaredBy = context.principal.actorId ?? context.principal.keyId;
    const {
      declaration_id: _,
      declared_at,
      ...shown
    } = await declareIncarnation(this.#deps, tenantId, {
      reason,
      declaredBy,
      ids,
    });
    return { ...shown, declared_at: isoTime(declared_at.getTime()) };
  }
}
