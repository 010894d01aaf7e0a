import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import type { BundleOrder, OrderedBundleStatus } from '../../../../shared/contracts/bundles.js';
import type { RecordTies } from '../../../../shared/contracts/record-ties.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import type { TenantBundles } from '../ports.js';
import { bundleTies } from '../read-bundles.js';
import { orderBundle, type RequestDeps } from '../request-bundle.js';

/** Serves other subgraphs: the public schema hides these fields, and their scope belongs to no API key. */
@Resolver()
export class BundleCallsResolver {
  readonly #deps: RequestDeps;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Requests a bundle (BundleOrder).' })
  async orderBundle(
    @Ctx() context: RequestContext,
    @Arg('order', () => JsonScalar, { description: 'Member and requester.' }) order: BundleOrder,
  ): Promise<boolean> {
    await orderBundle(this.#deps, context, order);
    return true;
  }

  @Directive('@inaccessible')
  @Query(() => String, { nullable: true, description: 'Returns the status of a bundle.' })
  async orderedBundleStatus(
    @Ctx() context: RequestContext,
    @Arg('bundle_id', () => String, { description: 'The bundle.' }) bundleId: string,
  ): Promise<OrderedBundleStatus | null> {
    return (await this.#bundles(context).get(bundleId))?.status ?? null;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Returns the contents that are archives of sealed bundles.' })
  async sealedArchives(
    @Ctx() context: RequestContext,
    @Arg('sha256s', () => [String], { description: 'The contents.' }) sha256s: string[],
  ): Promise<readonly string[]> {
    return this.#bundles(context).archives(sha256s);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the records that bundles refer to (a list of RecordTies).' })
  async bundleTies(
    @Ctx() context: RequestContext,
    @Arg('ids', () => [String], { description: 'The bundles.' }) ids: string[],
  ): Promise<readonly RecordTies[]> {
    return bundleTies(this.#bundles(context), ids);
  }

  #bundles(context: RequestContext): TenantBundles {
    return this.#deps.bundles(authorise(context, INTERNAL_SCOPE));
  }
}
