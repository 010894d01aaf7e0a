import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { RuleStore } from '../service/ports/rule-store.js';
import { ruleTies } from '../service/rule-ties.js';

/** For the graph: in no API schema, and closed to every key by its scope. */
@Resolver()
export class RuleTiesResolver {
  readonly #rules: RuleStore;

  constructor(rules: RuleStore) {
    this.#rules = rules;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Rules by what they name (a list of RecordTies).' })
  async ruleTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The rules.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return ruleTies(this.#rules(authorise(context, INTERNAL_SCOPE)), ids);
  }
}
