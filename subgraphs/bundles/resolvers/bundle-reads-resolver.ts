import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { BundleArchive, BundleDiff, BundleVerification } from '../schema/bundle-reads.js';
import { type DiffDeps, diffBundles } from '../service/diff-bundles.js';
import { type SealedBundle, sealedBundle } from '../service/read-bundles.js';
import { type VerifyStoredDeps, verifyStored } from '../service/verify-stored.js';

const BUNDLE_ID = { description: 'The bundle.' };

/** Sealed bundles: where their bytes are, what differs between them, whether they hold. */
@Resolver()
export class BundleReadsResolver {
  readonly #deps: DiffDeps & VerifyStoredDeps;

  constructor(deps: DiffDeps & VerifyStoredDeps) {
    this.#deps = deps;
  }

  @Query(() => BundleArchive, { description: 'Where the sealed ZIP of a bundle is.' })
  async bundleArchive(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleArchive> {
    const { bundle_id, bundle_type, seal, frozen } = await sealedBundle(this.#deps, context, id, 'bundles:export');
    const { worm_blob_sha256, size } = seal;
    return { bundle_id, bundle_type, worm_blob_sha256, size, member_ids: [...(frozen?.member_ids ?? [])] };
  }

  @Query(() => BundleDiff, { description: 'What differs between two bundles over the same scope.' })
  async bundleDiff(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Arg('against', () => String, { description: 'The bundle that it is held against.' }) againstId: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleDiff> {
    const { bundle, against, events, documents } = await diffBundles(this.#deps, context, id, againstId);
    const named = (name: 'event_id' | 'document_id', items: typeof events) => ({
      ...items,
      changed: items.changed.map(({ id: changed, ...states }) => ({ [name]: changed, ...states })) as never,
    });
    return {
      bundle_id: bundle.bundle_id,
      against: against.bundle_id,
      same_content: bundle.seal.content_digest === against.seal.content_digest,
      events: named('event_id', events),
      documents: named('document_id', documents),
      chain_head: { from: headOf(against), to: headOf(bundle) },
    };
  }

  @Mutation(() => BundleVerification, { description: 'Verifies the stored copy of a sealed bundle.' })
  async verifyBundleSignature(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleVerification> {
    const { bundle, ...found } = await verifyStored(this.#deps, context, id);
    const { signing_key_id, worm_blob_sha256 } = bundle.seal;
    return { bundle_id: bundle.bundle_id, ...found, signing_key_id, worm_blob_sha256 };
  }
}

const headOf = ({ frozen }: SealedBundle) => ({
  tree_size: frozen?.checkpoint.tree_size ?? 0,
  root_hash: frozen?.checkpoint.root_hash ?? '',
});
