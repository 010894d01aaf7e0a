import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { BundleStore } from '../service/ports/bundle-store.js';
import type { MatterStore } from '../service/ports/matter-store.js';
import { bundleTies, matterTies } from '../service/record-ties.js';

export interface RecordTiesDeps {
  readonly bundles: BundleStore;
  readonly matters: MatterStore;
}

/** For the graph: in no API schema, and closed to every key by its scope. */
@Resolver()
export class RecordTiesResolver {
  readonly #deps: RecordTiesDeps;

  constructor(deps: RecordTiesDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Bundles by what they name (a list of RecordTies).' })
  async bundleTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The bundles.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return bundleTies(this.#deps.bundles(authorise(context, INTERNAL_SCOPE)), ids);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Legal matters by what they name (a list of RecordTies).' })
  async matterTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The legal matters.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return matterTies(this.#deps.matters(authorise(context, INTERNAL_SCOPE)), ids);
  }
}
