import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { AI_DECISION_MACHINE } from './domain/ai-decision.js';
import { CONNECTOR_MACHINE } from './domain/connector-states.js';
import { EXCEPTION_MACHINE } from './domain/exception-states.js';
import { FEED_MACHINE } from './domain/feed-states.js';
import { CONNECTOR_COLLECTION } from './model/connector-model.js';
import { mongoRedactionStore } from './model/event-redaction-model.js';
import { EXCEPTION_COLLECTION, mongoExceptionStore } from './model/exception-model.js';
import { mongoLedgerStore } from './model/ledger-repository.js';
import { mongoNoticeStore, NOTICE_COLLECTION } from './model/notice-model.js';
import { prepareLedgerCollections } from './model/prepare.js';
import { CHECKPOINT_COLLECTION, INCARNATION_COLLECTION } from './model/tree-model.js';
import { mongoTreeStore } from './model/tree-repository.js';
import { AiDecisionResolver } from './resolvers/ai-decision-resolver.js';
import { CheckpointResolver } from './resolvers/checkpoint-resolver.js';
import { ConnectorResolver } from './resolvers/connector-resolver.js';
import { CountResolver } from './resolvers/count-resolver.js';
import { CustodyResolver } from './resolvers/custody-resolver.js';
import { DisposalResolver } from './resolvers/disposal-resolver.js';
import { EventEdgesResolver } from './resolvers/event-edges-resolver.js';
import { EventResolver } from './resolvers/event-resolver.js';
import { EventViewResolver } from './resolvers/event-view-resolver.js';
import { ExceptionQueueResolver } from './resolvers/exception-queue-resolver.js';
import { ExceptionResolver } from './resolvers/exception-resolver.js';
import { FeedResolver } from './resolvers/feed-resolver.js';
import { IncarnationResolver } from './resolvers/incarnation-resolver.js';
import { IngestResolver } from './resolvers/ingest-resolver.js';
import { KnownEventsResolver } from './resolvers/known-events-resolver.js';
import { LedgerFeedResolver } from './resolvers/ledger-feed-resolver.js';
import { LedgerRecordsResolver } from './resolvers/ledger-records-resolver.js';
import { LinkResolver } from './resolvers/link-resolver.js';
import { RawIngestResolver } from './resolvers/raw-ingest-resolver.js';
import { RawOfEventResolver } from './resolvers/raw-of-event-resolver.js';
import { RedactionResolver } from './resolvers/redaction-resolver.js';
import { SearchResolver } from './resolvers/search-resolver.js';
import { SystemEntryResolver } from './resolvers/system-entry-resolver.js';
import { TimelineResolver } from './resolvers/timeline-resolver.js';
import { VerifyResolver } from './resolvers/verify-resolver.js';
import {
  DropFolderConnectorConfig,
  FhirEndpointConnectorConfig,
  FhirPollConnectorConfig,
  MllpConnectorConfig,
} from './schema/connector-config.js';
import { EventEnvelope, EventPayload } from './schema/event-envelope.js';
import { SearchFacetValue, SearchHighlight, SearchMatch } from './schema/event-search.js';
import { IngestResult } from './schema/ingest-result.js';
import { TimelineMember } from './schema/timeline-member.js';
import { AppendSignal } from './service/append-signal.js';
import { ExceptionEffects } from './service/exception-effects.js';
import type { IngestDeps } from './service/ingest-events.js';
import { exceptionOpener } from './service/open-exception.js';
import { RecentRows } from './service/recent-rows.js';
import { DuplicateTeller } from './service/tell-duplicates.js';
import { TenantContexts } from './service/tenant-context.js';
import { wireAiDecisions } from './wiring/ai-decisions.js';
import { wireBundleReads } from './wiring/bundle-reads.js';
import { wireConnectors } from './wiring/connectors.js';
import { wireCounts } from './wiring/counts.js';
import { wireCustody } from './wiring/custody.js';
import { wireDisposal } from './wiring/disposal.js';
import { wireEventReads } from './wiring/event-reads.js';
import { wireEvents } from './wiring/events.js';
import { wireExceptions } from './wiring/exceptions.js';
import { wireFeeds } from './wiring/feeds.js';
import { wireIntegrity } from './wiring/integrity.js';
import { wireLedgerFeed } from './wiring/ledger-feed.js';
import { wireLinks } from './wiring/links.js';
import type { WireArea, WiredArea } from './wiring/parts.js';
import { wireRedactions } from './wiring/redactions.js';
import { wireSearch } from './wiring/search.js';
import { wireTree } from './wiring/tree.js';

export { EXCEPTION_TABLE } from './domain/exception-kinds.js';
export { forgetEventLinks } from './wiring/links.js';
export { rebuildEventSearch } from './wiring/search.js';

export const definition: SubgraphDefinition = {
  name: 'ledger',
  resolvers: [
    IngestResolver,
    EventResolver,
    VerifyResolver,
    RawIngestResolver,
    SystemEntryResolver,
    LedgerFeedResolver,
    LedgerRecordsResolver,
    KnownEventsResolver,
    EventViewResolver,
    TimelineResolver,
    DisposalResolver,
    CountResolver,
    ExceptionResolver,
    ExceptionQueueResolver,
    CustodyResolver,
    RawOfEventResolver,
    RedactionResolver,
    SearchResolver,
    LinkResolver,
    EventEdgesResolver,
    FeedResolver,
    ConnectorResolver,
    AiDecisionResolver,
    CheckpointResolver,
    IncarnationResolver,
  ],
  contractTypes: [
    TimelineMember,
    EventEnvelope,
    EventPayload,
    IngestResult,
    SearchMatch,
    SearchHighlight,
    SearchFacetValue,
    MllpConnectorConfig,
    DropFolderConnectorConfig,
    FhirEndpointConnectorConfig,
    FhirPollConnectorConfig,
  ],
  stateMachines: [EXCEPTION_MACHINE, FEED_MACHINE, CONNECTOR_MACHINE, AI_DECISION_MACHINE],
};

/** Each area is put together in a file of its own; they meet in what LedgerParts holds. */
const AREAS: readonly WireArea[] = [
  wireEvents,
  wireCounts,
  wireExceptions,
  wireIntegrity,
  wireCustody,
  wireSearch,
  wireRedactions,
  wireLinks,
  wireFeeds,
  wireConnectors,
  wireAiDecisions,
  wireTree,
  wireLedgerFeed,
  wireBundleReads,
  wireEventReads,
  wireDisposal,
];

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS: readonly string[] = [
  EXCEPTION_COLLECTION,
  CHECKPOINT_COLLECTION,
  INCARNATION_COLLECTION,
  NOTICE_COLLECTION,
  CONNECTOR_COLLECTION,
];

/** Events, raw ingest and verification, and what stands on them. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  await prepareLedgerCollections(deps.database);
  const { db } = deps.database;
  const store = mongoLedgerStore(db);
  const appended = new AppendSignal();
  const recent = new RecentRows(deps.clock);
  // Before those who follow: what they are told of is there.
  appended.listen((tenantId, sourceSystem, rows) => recent.add(tenantId, sourceSystem, rows));
  const contexts = new TenantContexts({ ...deps, store, appended, trees: mongoTreeStore(db) });
  const outbox = new Outbox({ ...deps, performers: performersOver(deps) }, COLLECTIONS_WITH_EFFECTS);
  const exceptions = mongoExceptionStore(db);
  const exceptionQueue = { exceptions, effects: new ExceptionEffects(outbox, EXCEPTION_COLLECTION) };
  const openExceptions = exceptionOpener({ ...deps, ...exceptionQueue });
  const notices = mongoNoticeStore(db);
  const teller = new DuplicateTeller({ ...deps, notices, outbox, collection: NOTICE_COLLECTION });
  const tellDuplicates: IngestDeps['tellDuplicates'] = (...repeated) => teller.tell(...repeated);
  const instances = new Map<unknown, unknown>();
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  const contractCheck = graph.contract.validator('EventEnvelope');
  const ingest = { ...deps, limits: deps.config.limits, contractCheck, openExceptions, tellDuplicates, contexts };
  const parts = {
    deps,
    store,
    contexts,
    appended,
    recent,
    openExceptions,
    exceptionQueue,
    duplicates: { notices, teller },
    ingest,
    redactions: mongoRedactionStore(db),
    contract: graph.contract,
    outbox,
  };
  const wired: WiredArea[] = [];
  for (const wire of AREAS) wired.push(await wire(parts));
  for (const [resolver, instance] of wired.flatMap((area) => area.resolvers)) instances.set(resolver, instance);
  return {
    name: 'ledger',
    schema: graph.schema,
    health: async () => {
      await db.command({ ping: 1 });
    },
    queues: () => contexts.queues(),
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
