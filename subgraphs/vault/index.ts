import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { openFacts } from '../../shared/facts/project-facts.js';
import { referencesOf } from '../../shared/graph/areas.js';
import { statesResolver } from '../../shared/graph/states-resolver.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import type { Contract } from '../../shared/graph/validator.js';
import { createIndexes } from '../../shared/records/collections.js';
import { documentTexts } from './content/index.js';
import { caughtUpTogether, documentRecords, documentsArea } from './documents/index.js';
import { eventEdgesArea } from './event-edges/index.js';
import { holdsArea, refuseLessHeld } from './holds/index.js';
import { noticesArea } from './notices/index.js';
import type { VaultArea, VaultParts } from './parts.js';
import { vaultOutbox } from './performers.js';
import { recordEdgesArea } from './record-edges/index.js';
import { isRedactedIn, redactionRecords, redactionsArea } from './redactions/index.js';
import { gateParts, retentionArea } from './retention/index.js';
import { scanArea, scanParts } from './scan/index.js';
import { forgetTextsIn, mongoTextStore, searchArea } from './search/index.js';
import { timelineArea } from './timeline/index.js';

export { documentTexts };

const VaultStates = statesResolver('vault');
/** Serves the rows of documents, holds and policies to the verification of the ledger. */
const statesArea: VaultArea = { resolvers: [VaultStates], wire: ({ facts }) => [new VaultStates(facts)] };

const AREAS: readonly VaultArea[] = [
  documentsArea,
  scanArea,
  holdsArea,
  noticesArea,
  retentionArea,
  redactionsArea,
  searchArea,
  timelineArea,
  eventEdgesArea,
  recordEdgesArea,
  statesArea,
];

const [first, ...others] = AREAS.flatMap(({ resolvers }) => [...resolvers]);
if (first === undefined) throw new Error('the vault has no resolvers');

export const definition: SubgraphDefinition = {
  name: 'vault',
  resolvers: [first, ...others],
  contractTypes: AREAS.flatMap(({ contractTypes = [] }) => [...contractTypes]),
  stateMachines: AREAS.flatMap(({ stateMachines = [] }) => stateMachines),
};

async function openParts(deps: SubgraphDeps, contract: Contract) {
  const { db } = deps.database;
  const carriers = AREAS.flatMap(({ collectionsWithEffects = [] }) => collectionsWithEffects);
  await createIndexes(db, [...carriers, ...AREAS.flatMap(({ collections = [] }) => collections)]);
  const facts = openFacts(deps, 'vault');
  const names = carriers.map(({ name }) => name);
  const outbox = vaultOutbox(deps, facts, names);
  const stores = { ...deps, db, outbox, guard: facts, isRedacted: isRedactedIn(db) };
  const documents = documentRecords(stores);
  facts.projects('document', caughtUpTogether(documents));
  const gate = gateParts(deps, documents, { outbox, facts }, forgetTextsIn(db));
  return {
    ...gate,
    facts,
    ...(await scanParts(deps, documents)),
    refuseLessHeld: (...change) => refuseLessHeld({ ...deps, ...gate }, ...change),
    deps,
    documents,
    redactions: redactionRecords(stores),
    texts: mongoTextStore(db),
    contract,
    outbox,
  } satisfies VaultParts;
}

/** Builds the subgraph of documents, holds, retention and redactions. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  const instances = new Map<unknown, object>();
  const references = referencesOf<VaultParts>(AREAS, () => parts);
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) }, references);
  const parts = await openParts(deps, graph.contract);
  for (const { wire } of AREAS) {
    for (const resolver of await wire(parts)) instances.set(resolver.constructor, resolver);
  }
  return {
    name: 'vault',
    schema: graph.schema,
    facts: parts.facts,
    health: async () => {
      await deps.database.db.command({ ping: 1 });
    },
    gauges: AREAS.flatMap(({ gauges }) => gauges?.(parts) ?? []),
    background: () => parts.outbox.start(),
    close: async () => undefined,
  };
}
