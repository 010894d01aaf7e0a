import { bundleReferences } from '../bundles/index.js';
import { matterReferences } from '../matters/index.js';
import type { BundlesArea } from '../parts.js';
import { BundleMatterResolver, MatterRecordsResolver } from './resolver.js';

/** The records of legal matters, and the legal matters of bundles. */
export const matterEdgesArea: BundlesArea = {
  resolvers: [MatterRecordsResolver, BundleMatterResolver],
  wire: ({ bundles, matters }) => ({
    resolvers: [
      new MatterRecordsResolver(bundleReferences({ bundles })),
      new BundleMatterResolver(matterReferences({ matters })),
    ],
  }),
};
