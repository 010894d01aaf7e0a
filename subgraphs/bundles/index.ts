import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { BUNDLE_MACHINE } from './domain/bundle-states.js';
import { MATTER_MACHINE } from './domain/legal-matter.js';
import { BUNDLE_COLLECTION } from './model/bundle-model.js';
import { bundleStore } from './model/bundle-repository.js';
import { MATTER_COLLECTION } from './model/matter-model.js';
import { prepareBundleCollections } from './model/prepare.js';
import { BundleOrdersResolver } from './resolvers/bundle-orders-resolver.js';
import { BundleReadsResolver } from './resolvers/bundle-reads-resolver.js';
import { BundleResolver } from './resolvers/bundle-resolver.js';
import { EdxResolver } from './resolvers/edx-resolver.js';
import { MatterResolver } from './resolvers/matter-resolver.js';
import { RecordTiesResolver } from './resolvers/record-ties-resolver.js';
import { SealedArchivesResolver } from './resolvers/sealed-archives-resolver.js';
import { TimelineResolver } from './resolvers/timeline-resolver.js';
import { TimestampResolver } from './resolvers/timestamp-resolver.js';
import { TimelineMember } from './schema/timeline-member.js';
import { wireBundles } from './wiring/bundles.js';
import { wireEdx } from './wiring/edx.js';
import { bundlesOutbox } from './wiring/effects.js';
import { wireMatters } from './wiring/matters.js';
import type { WireArea, WiredArea } from './wiring/parts.js';
import { wireTimestamps } from './wiring/timestamps.js';

export const definition: SubgraphDefinition = {
  name: 'bundles',
  resolvers: [
    EdxResolver,
    TimestampResolver,
    MatterResolver,
    BundleResolver,
    BundleReadsResolver,
    BundleOrdersResolver,
    SealedArchivesResolver,
    RecordTiesResolver,
    TimelineResolver,
  ],
  contractTypes: [TimelineMember],
  stateMachines: [BUNDLE_MACHINE, MATTER_MACHINE],
};

/** Each area is put together in a file of its own; they meet in what BundleParts holds. */
const AREAS: readonly WireArea[] = [wireMatters, wireEdx, wireTimestamps, wireBundles];

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS: readonly string[] = [BUNDLE_COLLECTION, MATTER_COLLECTION];

/** Evidence bundles, and the legal matters that they are made for. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  const { db } = deps.database;
  await prepareBundleCollections(deps.database);
  const outbox = bundlesOutbox(deps, COLLECTIONS_WITH_EFFECTS);
  const bundles = bundleStore(db, outbox);
  const instances = new Map<unknown, unknown>();
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  const parts = { deps, bundles, contract: graph.contract, outbox };
  const wired: WiredArea[] = [];
  for (const wire of AREAS) wired.push(await wire(parts));
  for (const [resolver, instance] of wired.flatMap((area) => area.resolvers)) instances.set(resolver, instance);
  return {
    name: 'bundles',
    schema: graph.schema,
    health: async () => {
      await db.command({ ping: 1 });
    },
    gauges: wired.flatMap(({ gauges = [] }) => gauges),
    figures: () => wired.flatMap((area) => area.figures?.() ?? []),
    background: () => {
      const works = [outbox.start(), ...wired.flatMap(({ background }) => background?.() ?? [])];
      return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
    },
    close: async () => {
      for (const area of wired) await area.close?.();
    },
  };
}
