import { Arg, Ctx, Directive, Int, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../auth/context.js';
import { INTERNAL_SCOPE } from '../auth/scopes.js';
import type { FactKind } from '../facts/fact.js';
import type { FactGuard } from '../facts/guard.js';
import { type RecordStatePage, STATES_CALLS, type StateOwner } from '../facts/record-states.js';
import { JsonScalar } from './scalars.js';

/** Creates the resolver by which a subgraph serves the rows of its kinds to the verification of the ledger. */
export function statesResolver(owner: StateOwner) {
  const { name } = STATES_CALLS[owner];

  @Resolver()
  class StatesResolver {
    readonly #guard: FactGuard;

    constructor(guard: FactGuard) {
      this.#guard = guard;
    }

    @Directive('@inaccessible')
    @Query(() => JsonScalar, {
      name,
      nullable: true,
      description: 'Rows of records for verification (a RecordStatePage); null for a part that does not exist.',
    })
    states(
      @Ctx() context: RequestContext,
      @Arg('kind', () => String, { description: 'Kind of record.' }) kind: FactKind,
      @Arg('part', () => Int, { description: 'Number of the collection, from 0.' }) part: number,
      @Arg('after', () => String, { nullable: true, description: 'What the page before ended with.' })
      after: string | null,
      @Arg('limit', () => Int, { description: 'Rows at most.' }) limit: number,
    ): Promise<RecordStatePage | null> {
      return this.#guard.statePage(authorise(context, INTERNAL_SCOPE), { kind, part, after: after ?? null, limit });
    }
  }
  return StatesResolver;
}
