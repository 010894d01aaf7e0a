import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import { openFacts } from '../../shared/facts/project-facts.js';
import { definitionOf, openSubgraph } from '../../shared/graph/areas.js';
import { statesResolver } from '../../shared/graph/states-resolver.js';
import type { PartCheck, Subgraph } from '../../shared/graph/subgraph.js';
import type { Contract } from '../../shared/graph/validator.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { aiDecisionsArea } from './ai-decisions/index.js';
import { analysisArea } from './analysis/index.js';
import {
  AppendSignal,
  appendArea,
  appendSystemEntries,
  DuplicateReporter,
  mongoLedgerStore,
  mongoNoticeStore,
  NOTICES,
  TenantContexts,
} from './append/index.js';
import { connectorsArea } from './connectors/index.js';
import { countsArea } from './counts/index.js';
import { custodyArea } from './custody/index.js';
import { disposalArea } from './disposal/index.js';
import { eventQueriesArea } from './event-queries/index.js';
import { eventsArea } from './events/index.js';
import { exceptionQueueOf, exceptionsArea } from './exceptions/index.js';
import { factsArea, localFacts, mongoFactRows, stateFacts } from './facts/index.js';
import { followersArea, RecentRows } from './followers/index.js';
import { ingestArea } from './ingest/index.js';
import { integrityArea } from './integrity/index.js';
import { linksArea } from './links/index.js';
import { logRootsArea } from './log-roots/index.js';
import type { LedgerArea, LedgerParts } from './parts.js';
import { prepareLedgerCollections } from './prepare.js';
import { recordsArea } from './records/index.js';
import {
  adoptableRedactions,
  catchUpRedaction,
  EVENT_REDACTION_COLLECTION,
  mongoRedactionRows,
  provenRedactions,
  type RedactionStore,
  redactionStates,
  redactionsArea,
  stateOfRedaction,
} from './redactions/index.js';
import { requireProven, rowDisposals, rowProofs } from './row-proofs/index.js';
import { searchArea } from './search/index.js';
import { sourceFeedsArea } from './source-feeds/index.js';
import { openStateMap, stateMapArea } from './state-map/index.js';
import { timeStampsArea } from './time-stamps/index.js';
import {
  checkpointRejecter,
  mongoTreeStore,
  ProvenEntries,
  SignedLeaves,
  transparencyArea,
} from './transparency/index.js';

export { EXCEPTION_TABLE } from './exceptions/domain/index.js';
export { forgetEventLinks } from './links/index.js';
export { repairTenant } from './repair/index.js';
export { rebuildEventSearch } from './search/index.js';
export { type AuditedTenant, auditCopy } from './state-map/index.js';

const LedgerStates = statesResolver('ledger');
/** Serves the rows of redactions and disposals of events to verification. */
const statesArea: LedgerArea = {
  resolvers: [LedgerStates],
  wire: ({ facts }) => ({ facts, resolvers: [new LedgerStates(facts)] }),
};

/** The areas in the order in which they start: `integrity` copies what a crash left out before requests come. */
const AREAS: readonly LedgerArea[] = [
  integrityArea,
  appendArea,
  ingestArea,
  eventsArea,
  countsArea,
  exceptionsArea,
  custodyArea,
  searchArea,
  redactionsArea,
  linksArea,
  sourceFeedsArea,
  connectorsArea,
  aiDecisionsArea,
  analysisArea,
  eventQueriesArea,
  transparencyArea,
  timeStampsArea,
  logRootsArea,
  stateMapArea,
  followersArea,
  recordsArea,
  factsArea,
  disposalArea,
  statesArea,
];

export const definition = definitionOf('ledger', AREAS);

type OpenParts = LedgerParts & { readonly outbox: Outbox };

/** Creates what all areas share: the stores and services of LedgerParts. */
async function openParts(deps: SubgraphDeps, contract: Contract): Promise<OpenParts> {
  const { db } = deps.database;
  const store = mongoLedgerStore(db);
  const appended = new AppendSignal();
  const recent = new RecentRows(deps.clock);
  // The first listener: rows are in `recent` before any follower hears of them.
  appended.listen((tenantId, sourceSystem, rows) => recent.add(tenantId, sourceSystem, rows));
  const collections = AREAS.flatMap(({ collectionsWithEffects = [] }) => collectionsWithEffects);
  const outbox = new Outbox({ ...deps, performers: performersOver(deps) }, collections);
  const exceptionQueue = exceptionQueueOf(deps, outbox);
  const openExceptions = exceptionQueue.opener.open;
  const trees = mongoTreeStore(db, checkpointRejecter(openExceptions));
  const contexts = new TenantContexts({ ...deps, store, appended, trees });
  const notices = mongoNoticeStore(db);
  const reporter = new DuplicateReporter({ ...deps, notices, outbox, collection: NOTICES.name });
  const ingest = {
    ...deps,
    limits: deps.config.limits,
    contractCheck: contract.validator('EventEnvelope'),
    openExceptions,
    reportDuplicates: (...repeated: Parameters<DuplicateReporter['report']>) => reporter.report(...repeated),
  };
  const factRows = mongoFactRows(db, deps.masterKey);
  const leaves = new SignedLeaves({ ...deps, deployment: deps.config.origin });
  const provenEntries = new ProvenEntries({ leaves, tenants: contexts });
  appended.listen((tenantId, sourceSystem, rows) => provenEntries.appended(tenantId, sourceSystem, rows));
  const facts = localFacts({ ingest, contexts, factRows, provenEntries });
  const guard = openFacts({ ...deps, facts }, 'ledger');
  const redactions = redactionsOf(deps, guard);
  return {
    deps,
    facts: guard,
    stateFacts: stateFacts(factRows),
    store,
    contexts,
    trees,
    appended,
    recent,
    openExceptions,
    exceptionQueue,
    duplicates: { notices, reporter },
    ingest,
    redactions,
    rowProofs: rowProofs({ guard, redactions, leaves }),
    rowDisposals: rowDisposals({ guard }),
    provenEntries,
    requireProven: requireProven(provenEntries),
    stateMap: openStateMap({
      ...deps,
      db,
      contexts,
      trees,
      append: async (tenantId, entries) => appendSystemEntries(ingest, await contexts.of(tenantId), entries),
    }),
    contract,
    outbox,
  };
}

/** The redactions of events, which the sweep and verification read too. */
function redactionsOf({ clock, database: { db } }: SubgraphDeps, guard: FactGuard): RedactionStore {
  const proven = { clock, guard, rows: mongoRedactionRows(db) };
  guard.projects('event-redaction', (tenantId, id) => catchUpRedaction(proven, tenantId, id));
  guard.states('event-redaction', redactionStates(db, stateOfRedaction));
  guard.adopts('event-redaction', adoptableRedactions(proven.rows, EVENT_REDACTION_COLLECTION));
  return provenRedactions(proven);
}

/** Reads are served while the copies lag, so that the check fails no probe. */
const lagCheck = (lag: TenantContexts['lag']): PartCheck => ({
  name: 'write_once_copies',
  cause: 'the write-once copies exceed their lag; events are answered with 503',
  isOptional: true,
  health: async () => {
    lag.requireInBound();
    return { lag_ms: Math.round(lag.lagMs) };
  },
});

/** Builds the ledger: appends, ingest, reads, verification and everything that follows them. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  await prepareLedgerCollections(deps.database);
  let contexts: TenantContexts | undefined;
  const subgraph = await openSubgraph<OpenParts>(definition, AREAS, deps.database, async (contract) => {
    const parts = await openParts(deps, contract);
    contexts = parts.contexts;
    return parts;
  });
  return {
    ...subgraph,
    queues: () => contexts?.queues() ?? [],
    checks: contexts?.lag.isAllowed === true ? [lagCheck(contexts.lag)] : [],
    close: async () => {
      contexts?.lag.close();
      await subgraph.close();
    },
  };
}
