import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { BundlesArea } from '../parts.js';
import { LINK_MACHINE } from './domain/index.js';
import { LINKS, linkStore } from './model.js';
import type { LinkStore } from './ports.js';
import { BundleLinkResolver, SharedBundleResolver } from './resolver.js';
import { LINK_FACTS, LINK_ROW } from './schema.js';

export type { LinkStore } from './ports.js';

export const linkRecords = (deps: RecordStoreDeps): LinkStore =>
  linkStore(deps, { check: LINK_ROW, facts: LINK_FACTS });

/** Links that open a sealed bundle for a party without a key. */
export const linksArea: BundlesArea = {
  resolvers: [BundleLinkResolver, SharedBundleResolver],
  stateMachines: [LINK_MACHINE],
  collections: [LINKS],
  wire: ({ deps, bundles, links }) => {
    const services = { ...deps, bundles, links };
    return { resolvers: [new BundleLinkResolver(services), new SharedBundleResolver(services)] };
  },
};
