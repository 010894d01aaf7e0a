import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { BundleOrder, OrderedBundleStatus } from '../../../shared/contracts/bundle-orders.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { orderBundle } from '../service/order-bundle.js';
import type { RequestDeps } from '../service/request-bundle.js';

/** For requests of members: in no API schema, and closed to every key by its scope. */
@Resolver()
export class BundleOrdersResolver {
  readonly #deps: RequestDeps;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Has a bundle made (BundleOrder).' })
  async orderBundle(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'Over whom, and for whom.' }) order: unknown,
  ): Promise<boolean> {
    await orderBundle(this.#deps, context, authorise(context, INTERNAL_SCOPE), order as BundleOrder);
    return true;
  }

  @Directive('@inaccessible')
  @Query(() => String, { nullable: true, description: 'What has become of a bundle.' })
  async orderedBundleStatus(
    @Ctx() context: RequestContext,
    @Arg('bundle_id', () => String, { description: 'The bundle.' }) bundleId: string,
  ): Promise<OrderedBundleStatus | null> {
    const found = await this.#deps.bundles(authorise(context, INTERNAL_SCOPE)).get(bundleId);
    return found?.status ?? null;
  }
}
