import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { DOCUMENT_MACHINE } from './domain/document-states.js';
import { HOLD_MACHINE } from './domain/hold-states.js';
import { REDACTION_MACHINE } from './domain/redaction.js';
import { DOCUMENT_COLLECTION, documentModel } from './model/document-model.js';
import { documentStore } from './model/document-repository.js';
import { forgetTextsIn } from './model/forget-texts.js';
import { HOLD_COLLECTION } from './model/hold-model.js';
import { prepareVaultCollections } from './model/prepare.js';
import { REDACTION_COLLECTION } from './model/redaction-model.js';
import { DISPOSAL_COLLECTION, RULES_COLLECTION, SWEEP_COLLECTION } from './model/retention-model.js';
import { DocumentFactsResolver } from './resolvers/document-facts-resolver.js';
import { DocumentResolver } from './resolvers/document-resolver.js';
import { DocumentSearchResolver } from './resolvers/document-search-resolver.js';
import { ErasureResolver } from './resolvers/erasure-resolver.js';
import { HoldPortResolver } from './resolvers/hold-port-resolver.js';
import { HoldResolver } from './resolvers/hold-resolver.js';
import { HoldTiesResolver } from './resolvers/hold-ties-resolver.js';
import { QuarantineResolver } from './resolvers/quarantine-resolver.js';
import { RedactionResolver } from './resolvers/redaction-resolver.js';
import { RetentionResolver } from './resolvers/retention-resolver.js';
import { TimelineResolver } from './resolvers/timeline-resolver.js';
import { DocumentFacetValue, DocumentHighlight, DocumentMatch } from './schema/document-search.js';
import { TimelineMember } from './schema/timeline-member.js';
import { wireDocuments } from './wiring/documents.js';
import { vaultOutbox } from './wiring/effects.js';
import { gateParts } from './wiring/gate.js';
import { wireHolds } from './wiring/holds.js';
import type { WireArea, WiredArea } from './wiring/parts.js';
import { wireRedactions } from './wiring/redactions.js';
import { wireRetention } from './wiring/retention.js';
import { wireTexts } from './wiring/texts.js';

export const definition: SubgraphDefinition = {
  name: 'vault',
  resolvers: [
    DocumentResolver,
    QuarantineResolver,
    DocumentFactsResolver,
    RedactionResolver,
    HoldResolver,
    HoldPortResolver,
    HoldTiesResolver,
    RetentionResolver,
    ErasureResolver,
    DocumentSearchResolver,
    TimelineResolver,
  ],
  contractTypes: [TimelineMember, DocumentMatch, DocumentHighlight, DocumentFacetValue],
  stateMachines: [DOCUMENT_MACHINE, HOLD_MACHINE, REDACTION_MACHINE],
};

/** Each area is put together in a file of its own; they meet in what VaultParts holds. */
const AREAS: readonly WireArea[] = [wireDocuments, wireHolds, wireRetention, wireRedactions, wireTexts];

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS: readonly string[] = [
  DOCUMENT_COLLECTION,
  HOLD_COLLECTION,
  RULES_COLLECTION,
  DISPOSAL_COLLECTION,
  SWEEP_COLLECTION,
  REDACTION_COLLECTION,
];

/** Documents, holds, retention and redactions. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  const { connection, db } = deps.database;
  await prepareVaultCollections(deps.database);
  const outbox = vaultOutbox(deps, COLLECTIONS_WITH_EFFECTS);
  const documents = documentStore(documentModel(connection), outbox);
  const instances = new Map<unknown, unknown>();
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  const parts = {
    ...gateParts(deps, documents, outbox, forgetTextsIn(db)),
    deps,
    documents,
    contract: graph.contract,
    outbox,
  };
  const wired: WiredArea[] = [];
  for (const wire of AREAS) wired.push(await wire(parts));
  for (const [resolver, instance] of wired.flatMap((area) => area.resolvers)) instances.set(resolver, instance);
  return {
    name: 'vault',
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
