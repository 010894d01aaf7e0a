import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { type DiffDeps, diffBundles } from '../diff-bundles.js';
import { type DisclosureDeps, requireDisclosable } from '../disclosable-archive.js';
import { type SealedBundle, sealedBundle } from '../read-bundles.js';
import { BundleArchive, BundleDiff, BundleVerification } from '../schema/bundle-reads.js';
import { requireOwnArchive } from '../sealed-archive.js';
import { type VerifyStoredDeps, verifyStored } from '../verify-stored.js';

const BUNDLE_ID = { description: 'The bundle.' };

/** Reads of sealed bundles: their archives, differences and verification. */
@Resolver()
export class BundleReadsResolver {
  readonly #deps: DiffDeps & VerifyStoredDeps & DisclosureDeps;

  constructor(deps: DiffDeps & VerifyStoredDeps & DisclosureDeps) {
    this.#deps = deps;
  }

  @Query(() => BundleArchive, { description: 'Returns the location of the sealed ZIP of a bundle.' })
  async bundleArchive(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleArchive> {
    const bundle = await sealedBundle(this.#deps, context, id, 'bundles:export');
    await requireOwnArchive(this.#deps, bundle);
    await requireDisclosable({ ...this.#deps, signal: context.signal }, context, bundle);
    const { bundle_id, bundle_type, seal, frozen } = bundle;
    const { worm_blob_sha256, size } = seal;
    return { bundle_id, bundle_type, worm_blob_sha256, size, member_ids: [...(frozen?.member_ids ?? [])] };
  }

  @Query(() => BundleDiff, { description: 'Compares two bundles over the same scope.' })
  async bundleDiff(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Arg('against', () => String, { description: 'The bundle to compare with.' }) againstId: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleDiff> {
    const { bundle, against, events, documents } = await diffBundles(
      { ...this.#deps, signal: context.signal },
      context,
      id,
      againstId,
    );
    return {
      bundle_id: bundle.bundle_id,
      against: against.bundle_id,
      same_content: bundle.seal.content_digest === against.seal.content_digest,
      events: { ...events, changed: events.changed.map(({ id: event_id, from, to }) => ({ event_id, from, to })) },
      documents: {
        ...documents,
        changed: documents.changed.map(({ id: document_id, from, to }) => ({ document_id, from, to })),
      },
      chain_head: { from: headOf(against), to: headOf(bundle) },
    };
  }

  @Mutation(() => BundleVerification, { description: 'Verifies the stored copy of a sealed bundle.' })
  async verifyBundleSignature(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleVerification> {
    const { bundle, ...found } = await verifyStored({ ...this.#deps, signal: context.signal }, context, id);
    const { signing_key_id, worm_blob_sha256 } = bundle.seal;
    return { bundle_id: bundle.bundle_id, ...found, signing_key_id, worm_blob_sha256 };
  }
}

const headOf = ({ frozen }: SealedBundle) => ({
  tree_size: frozen?.checkpoint.tree_size ?? 0,
  root_hash: frozen?.checkpoint.root_hash ?? '',
});
