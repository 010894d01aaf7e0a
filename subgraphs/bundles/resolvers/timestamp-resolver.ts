import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { BundleTimestamp } from '../schema/timestamp.js';
import type { TimestampStore } from '../service/ports/timestamp-store.js';
import { type ReadBundleDeps, sealedBundle } from '../service/read-bundles.js';

export interface TimestampResolverDeps extends ReadBundleDeps {
  readonly timestamps: TimestampStore;
}

@Resolver()
export class TimestampResolver {
  readonly #deps: TimestampResolverDeps;

  constructor(deps: TimestampResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => BundleTimestamp, { description: "The time-stamp of a sealed bundle's signature." })
  async bundleTimestamp(
    @Arg('bundle_id', () => String, { description: 'The bundle.' }) bundleId: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleTimestamp> {
    const { tenant_id } = await sealedBundle(this.#deps, context, bundleId);
    const row = await this.#deps.timestamps.get(tenant_id, bundleId);
    if (row === null) {
      throw problem('NOT_FOUND', { message: 'No time-stamp was asked for when this bundle was sealed.' });
    }
    const { status, attempts, last_error, message_imprint, gen_time, serial, policy, authority, reply } = row;
    return {
      bundle_id: bundleId,
      status,
      attempts,
      last_error,
      message_imprint,
      gen_time,
      serial,
      policy,
      authority,
      reply,
    };
  }
}
