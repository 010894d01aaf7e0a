import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { HoldSubject, HoldSummary } from '../../../shared/contracts/holds.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { HoldDeps } from '../service/place-hold.js';
import { holdSummaries, holdsCovering, holdsOfMatter } from '../service/read-holds.js';

/** For other subgraphs: in no API schema, and closed to every key by its scope. */
@Resolver()
export class HoldPortResolver {
  readonly #deps: Pick<HoldDeps, 'holds' | 'gate'>;

  constructor(deps: Pick<HoldDeps, 'holds' | 'gate'>) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Holds over subjects: pairs of id and hold ids.' })
  async holdsCovering(
    @Ctx() context: RequestContext,
    @Arg('subjects', () => JsonScalar, { description: 'A list of HoldSubject.' }) subjects: unknown,
  ): Promise<readonly (readonly [string, readonly string[]])[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return holdsCovering(this.#deps, tenantId, subjects as readonly HoldSubject[]);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Holds by id (a list of HoldSummary).' })
  async holdSummaries(
    @Ctx() context: RequestContext,
    @Arg('hold_ids', () => [String], { description: 'The holds.' }) holdIds: string[],
  ): Promise<readonly HoldSummary[]> {
    return holdSummaries(this.#deps, authorise(context, INTERNAL_SCOPE), holdIds);
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Holds in force of a legal matter.' })
  async holdsOfMatter(
    @Ctx() context: RequestContext,
    @Arg('matter_id', () => String, { description: 'The matter.' }) matterId: string,
  ): Promise<readonly string[]> {
    return holdsOfMatter(this.#deps, authorise(context, INTERNAL_SCOPE), matterId);
  }
}
