import type { BundlesArea } from '../parts.js';
import { verifyArchive } from './adapters/archive-verifier.js';
import { BUNDLE_MACHINE } from './domain/states.js';
import { BUNDLES } from './model.js';
import { BundleReadsResolver } from './resolvers/bundle-reads.js';
import { BundleResolver, bundleReferences, TimelineResolver } from './resolvers/bundles.js';
import { BundleCallsResolver } from './resolvers/internal.js';
import { TimelineMember } from './schema/index.js';

/** Requests for bundles, and the reads of sealed ones. */
export const bundlesArea: BundlesArea = {
  resolvers: [BundleResolver, BundleReadsResolver, BundleCallsResolver, TimelineResolver],
  references: { Bundle: bundleReferences },
  contractTypes: [TimelineMember],
  stateMachines: [BUNDLE_MACHINE],
  collections: [BUNDLES],
  wire: ({ deps, bundles, buildQueue, rejectMinimal, rejectUnknownMatter }) => {
    const services = { ...deps, bundles, queue: buildQueue, rejectMinimal, rejectUnknownMatter };
    return {
      resolvers: [
        new BundleResolver(services),
        new BundleCallsResolver(services),
        new TimelineResolver({ ...deps, bundles }),
        new BundleReadsResolver({ ...deps, bundles, verifyArchive }),
      ],
    };
  },
};
