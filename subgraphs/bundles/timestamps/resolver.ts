import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { type ReadBundleDeps, sealedBundle } from '../bundles/index.js';
import type { TimestampStore } from './ports.js';
import { BundleTimestamp } from './schema.js';

interface TimestampResolverDeps extends ReadBundleDeps {
  readonly timestamps: TimestampStore;
}

@Resolver()
export class TimestampResolver {
  readonly #deps: TimestampResolverDeps;

  constructor(deps: TimestampResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => BundleTimestamp, { description: "Returns the time-stamp of a sealed bundle's signature." })
  async bundleTimestamp(
    @Arg('bundle_id', () => String, { description: 'The bundle.' }) bundleId: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleTimestamp> {
    const { tenant_id } = await sealedBundle(this.#deps, context, bundleId);
    const row = await this.#deps.timestamps.get(tenant_id, bundleId);
    if (row === null) {
      throw problem('NOT_FOUND', { message: 'This bundle was sealed without a request for a time-stamp.' });
    }
    return { ...row, bundle_id: bundleId };
  }
}
