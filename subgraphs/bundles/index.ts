import type { LinkedDeps, SubgraphDeps } from '../../shared/contracts/deps.js';
import { openFacts } from '../../shared/facts/project-facts.js';
import { collectionsWithEffects, definitionOf, openSubgraph } from '../../shared/graph/areas.js';
import { statesResolver } from '../../shared/graph/states-resolver.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../shared/outbox/performers.js';
import { buildArea, buildParts } from './build/index.js';
import { type BundleEffect, bundleStore, bundlesArea } from './bundles/index.js';
import { exportsArea } from './exports/index.js';
import { linkRecords, linksArea } from './links/index.js';
import { matterEdgesArea } from './matter-edges/index.js';
import { matterRecords, mattersArea } from './matters/index.js';
import type { BundlesArea } from './parts.js';
import { timestampStore, timestampsArea } from './timestamps/index.js';

const BundlesStates = statesResolver('bundles');
/** Serves the rows of bundles and matters to the verification of the ledger. */
const statesArea: BundlesArea = {
  resolvers: [BundlesStates],
  wire: ({ facts }) => ({ facts, resolvers: [new BundlesStates(facts)] }),
};

const AREAS: readonly BundlesArea[] = [
  bundlesArea,
  linksArea,
  mattersArea,
  matterEdgesArea,
  exportsArea,
  timestampsArea,
  buildArea,
  statesArea,
];

export const definition = definitionOf('bundles', AREAS);

/** Builds the subgraph of evidence bundles and legal matters. */
export const build = (deps: SubgraphDeps): Promise<Subgraph> =>
  openSubgraph(definition, AREAS, deps.database, async () => {
    const outbox = bundlesOutbox(deps);
    const facts = openFacts(deps, 'bundles');
    const stores = { db: deps.database.db, outbox, guard: facts };
    const bundles = bundleStore(stores);
    const links = linkRecords(stores);
    const matters = matterRecords(stores);
    facts.projects('bundle', (tenantId, id) => bundles(tenantId).catchUp(id));
    facts.projects('bundle-link', (tenantId, id) => links.forTenant(tenantId).catchUp(id));
    facts.projects('matter', (tenantId, id) => matters(tenantId).catchUp(id));
    return { ...(await buildParts({ deps, bundles, matters })), deps, bundles, links, matters, outbox, facts };
  });

/** Performs the effects of writes in this subgraph. */
function bundlesOutbox(deps: LinkedDeps): Outbox<BundleEffect> {
  const { exceptions, config, clock } = deps;
  const timestamps = timestampStore(deps.database.db);
  const performers = {
    ...performersOver(deps),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, subject, note }) =>
      exceptions.resolve(tenant_id, 'BUNDLE_FAILED', subject, note),
    'ask-timestamp': async ({ tenant_id, bundle_id }) => {
      if (config.timestamps.url !== null) await timestamps.ask(tenant_id, bundle_id, new Date(clock.nowMs()));
    },
  } satisfies Performers<BundleEffect>;
  return new Outbox<BundleEffect>({ ...deps, performers }, collectionsWithEffects(AREAS));
}
