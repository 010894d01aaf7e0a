import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { holdTies } from '../service/hold-ties.js';
import type { HoldStore } from '../service/ports/hold-store.js';

/** For the graph: in no API schema, and closed to every key by its scope. */
@Resolver()
export class HoldTiesResolver {
  readonly #holds: Pick<HoldStore, 'forTenant'>;

  constructor(holds: Pick<HoldStore, 'forTenant'>) {
    this.#holds = holds;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Holds by what they name (a list of RecordTies).' })
  async holdTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The holds.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return holdTies(this.#holds.forTenant(authorise(context, INTERNAL_SCOPE)), ids);
  }
}
