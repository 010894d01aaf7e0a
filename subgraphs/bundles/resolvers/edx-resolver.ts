import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { EdxArgs, EdxExport } from '../schema/edx.js';
import { type ReadBundleDeps, sealedBundle } from '../service/read-bundles.js';

/** Exports for electronic discovery: the graph tells where the archive is, the facade writes the export out of it. */
@Resolver()
export class EdxResolver {
  readonly #deps: ReadBundleDeps;

  constructor(deps: ReadBundleDeps) {
    this.#deps = deps;
  }

  @Query(() => EdxExport, { description: 'Where the archive of a sealed bundle is, to be exported from.' })
  async bundleExport(
    @Args(() => EdxArgs) { bundle_id, format, prefix }: EdxArgs,
    @Ctx() context: RequestContext,
  ): Promise<EdxExport> {
    const { seal, frozen } = await sealedBundle(this.#deps, context, bundle_id, 'bundles:export');
    return {
      bundle_id,
      worm_blob_sha256: seal.worm_blob_sha256,
      size: seal.size,
      format: format ?? 'json',
      prefix: prefix ?? null,
      member_ids: [...(frozen?.member_ids ?? [])],
    };
  }
}
