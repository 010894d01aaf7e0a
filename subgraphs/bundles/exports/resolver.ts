import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type DisclosureDeps, type ReadBundleDeps, requireDisclosable, sealedBundle } from '../bundles/index.js';
import { EdxArgs, EdxExport } from './schema.js';

/**
 * Exports for electronic discovery. The graph returns the location of the archive; the facade writes the export from
 * it.
 */
@Resolver()
export class EdxResolver {
  readonly #deps: ReadBundleDeps & DisclosureDeps;

  constructor(deps: ReadBundleDeps & DisclosureDeps) {
    this.#deps = deps;
  }

  @Query(() => EdxExport, { description: 'Returns the location of the archive of a sealed bundle, for an export.' })
  async bundleExport(
    @Args(() => EdxArgs) { bundle_id, format, prefix, volume }: EdxArgs,
    @Ctx() context: RequestContext,
  ): Promise<EdxExport> {
    const bundle = await sealedBundle(this.#deps, context, bundle_id, 'bundles:export');
    await requireDisclosable({ ...this.#deps, signal: context.signal }, context, bundle);
    const { seal, frozen } = bundle;
    return {
      bundle_id,
      worm_blob_sha256: seal.worm_blob_sha256,
      size: seal.size,
      format: format ?? 'json',
      prefix: prefix ?? null,
      volume: volume ?? 1,
      member_ids: [...(frozen?.member_ids ?? [])],
    };
  }
}
