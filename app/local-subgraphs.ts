import { LocalDataSource } from '../gateway/local-data-source.js';
import { bundleOrdersOver } from '../gateway/ports/bundle-orders.js';
import { checkpointsOver } from '../gateway/ports/checkpoints.js';
import { consentGateOver } from '../gateway/ports/consent.js';
import { custodyOver } from '../gateway/ports/custody.js';
import { custodyReadsOver } from '../gateway/ports/custody-reads.js';
import { ledgerDisposalOver } from '../gateway/ports/disposal.js';
import { documentsOver } from '../gateway/ports/documents.js';
import { erasuresOver } from '../gateway/ports/erasures.js';
import { eventReadsOver } from '../gateway/ports/event-reads.js';
import { exceptionDeskOver } from '../gateway/ports/exceptions.js';
import { holdsOver } from '../gateway/ports/holds.js';
import { ledgerCountersOver } from '../gateway/ports/ledger-counters.js';
import { ledgerEventsOver } from '../gateway/ports/ledger-events.js';
import { ledgerFeedOver, ledgerFollowerOver } from '../gateway/ports/ledger-feed.js';
import { ledgerRecordsOver } from '../gateway/ports/ledger-records.js';
import { linkedEventsOver } from '../gateway/ports/linked-events.js';
import { memberDirectoryOver } from '../gateway/ports/members.js';
import { openRequestsOver } from '../gateway/ports/open-requests.js';
import { platformEventsOver } from '../gateway/ports/platform-events.js';
import { eventRedactorOver, redactionsOver } from '../gateway/ports/redactions.js';
import { ruleArtifactsOver } from '../gateway/ports/rule-artifacts.js';
import { sealedArchivesOver } from '../gateway/ports/sealed-archives.js';
import { systemLedgerOver } from '../gateway/ports/system-ledger.js';
import { tiedRecordsOver } from '../gateway/ports/tied-records.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import { within } from '../shared/clock/timers.js';
import type { SubgraphDeps } from '../shared/contracts/deps.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { type OpenJobs, openJobs } from '../shared/jobs/open-jobs.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type AdminSubgraph, build as buildAdmin } from '../subgraphs/admin/index.js';
import type { Closing } from './closing.js';
import type { Stores } from './stores.js';
import { SUBGRAPH_BUILDERS } from './subgraph-builders.js';

/** Every subgraph, running in this process. */
export interface LocalSubgraphs {
  readonly admin: AdminSubgraph;
  readonly all: readonly Subgraph[];
  readonly sources: SubgraphSources;
  /** What the facade and other parts of this process may touch. */
  readonly deps: SubgraphDeps;
  readonly jobs: OpenJobs;
}

/** Builds all of them on one database; they reach each other through `sources`. @throws StartRefused */
export async function buildLocalSubgraphs(stores: Stores, closing: Closing): Promise<LocalSubgraphs> {
  const { worm } = stores;
  const sources = new Map<SubgraphName, SubgraphSource>();
  const askLedger = subgraphClient(sources, 'ledger');
  const askAdmin = subgraphClient(sources, 'admin');
  const exceptions = exceptionDeskOver(askLedger, 'service');
  const { config } = stores.base;
  const alone = config.mode === 'all' && config.mongodbUri === null;
  const jobs = await openJobs({ ...stores.base, exceptions }, { alone });
  const systemLedger = systemLedgerOver(askLedger, 'service');
  const base = {
    ...stores.base,
    systemLedger,
    custody: custodyOver(systemLedger, stores.base.ids),
    custodyReads: custodyReadsOver(askLedger, 'service'),
    checkpoints: checkpointsOver(askLedger, 'service'),
    ledgerCounters: ledgerCountersOver(askLedger, 'service'),
    ledgerEvents: ledgerEventsOver(askLedger, 'service'),
    eventReads: eventReadsOver(askLedger, 'service'),
    documents: documentsOver(subgraphClient(sources, 'vault'), 'service'),
    holds: holdsOver(subgraphClient(sources, 'vault'), 'service'),
    ledgerDisposal: ledgerDisposalOver(askLedger, 'service'),
    erasures: erasuresOver(subgraphClient(sources, 'vault'), 'service'),
    memberDirectory: memberDirectoryOver(subgraphClient(sources, 'members-graph'), 'service'),
    openRequests: openRequestsOver(subgraphClient(sources, 'members-graph'), 'service'),
    bundleOrders: bundleOrdersOver(subgraphClient(sources, 'bundles'), 'service'),
    sealedArchives: sealedArchivesOver(subgraphClient(sources, 'bundles'), 'service'),
    ruleArtifacts: ruleArtifactsOver(subgraphClient(sources, 'advocacy'), 'service'),
    consent: consentGateOver(subgraphClient(sources, 'members-graph'), 'service'),
    exceptions,
    eventRedactor: eventRedactorOver(askLedger, 'service'),
    redactions: redactionsOver(askLedger, 'service'),
    platformEvents: platformEventsOver(askAdmin, 'service'),
    ledgerFeed: ledgerFeedOver(askLedger, 'service'),
    ledgerRecords: ledgerRecordsOver(askLedger, 'service'),
    ledgerFollower: ledgerFollowerOver(
      { admin: askAdmin, members: subgraphClient(sources, 'members-graph') },
      'service',
    ),
    linkedEvents: linkedEventsOver(askLedger, 'service'),
    tiedRecords: tiedRecordsOver((name) => subgraphClient(sources, name), 'service'),
    jobs,
  };
  const keep = <T extends Subgraph>(subgraph: T): T => {
    closing.add(() => subgraph.close());
    sources.set(subgraph.name, new LocalDataSource(subgraph.schema, base.logger));
    return subgraph;
  };
  const admin = keep(await buildAdmin(base));
  const deps: SubgraphDeps = { ...base, worm, tenants: admin.tenants, signingKeys: admin.signingKeys };
  const all: Subgraph[] = [admin];
  for (const [name, build] of SUBGRAPH_BUILDERS) if (name !== 'admin') all.push(keep(await build(deps)));
  return { admin, all, sources, deps, jobs };
}

/** Work that has not ended by then is left to the next process: it is keyed and leased, so that doing it again is safe. */
const BACKGROUND_STOP_MS = 15_000;

/** Starts the work beside requests; it is stopped before the subgraphs are closed. */
export function startBackgroundWork({ all, jobs }: LocalSubgraphs, logger: Logger, closing: Closing): void {
  const works = [...all.map((subgraph) => subgraph.background()), jobs.start()];
  closing.add(async () => {
    const stopped = Promise.all(works.map((work) => work.stop())).then(() => true);
    if (!(await within(BACKGROUND_STOP_MS, stopped))) logger.warn('background work is handed back unfinished');
  });
}
