import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, noBackgroundWork, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { defaultAdapterLimits } from './adapters/adapter.js';
import { adapterFor } from './adapters/registry.js';
import { mongoCountStore } from './model/count-model.js';
import { mongoExceptionStore } from './model/exception-model.js';
import { mongoIngestStore } from './model/ingest-model.js';
import { mongoLedgerStore } from './model/ledger-repository.js';
import { prepareLedgerCollections } from './model/prepare.js';
import { CountResolver } from './resolvers/count-resolver.js';
import { EventResolver } from './resolvers/event-resolver.js';
import { ExceptionResolver } from './resolvers/exception-resolver.js';
import { IngestResolver } from './resolvers/ingest-resolver.js';
import { RawIngestResolver } from './resolvers/raw-ingest-resolver.js';
import { SystemEntryResolver } from './resolvers/system-entry-resolver.js';
import { EventEnvelope, EventPayload } from './schema/event-envelope.js';
import { IngestResult } from './schema/ingest-result.js';
import { wormCopier } from './service/copy-to-worm.js';
import { ChainCounter } from './service/count-chain.js';
import { keepTallies } from './service/keep-tallies.js';
import { exceptionOpener } from './service/open-exception.js';
import { TenantContexts } from './service/tenant-context.js';

export const definition: SubgraphDefinition = {
  name: 'ledger',
  resolvers: [IngestResolver, EventResolver, RawIngestResolver, SystemEntryResolver, CountResolver, ExceptionResolver],
  contractTypes: [EventEnvelope, EventPayload, IngestResult],
};

const COPY_INTERVAL_MS = 60_000;
/** A chain grows by a block at most this long before its tally is kept. */
const TALLY_INTERVAL_MS = 60_000;

/**
 * Events, raw ingest and verification. When it resolves, what a crashed process kept from the write-once store has been
 * copied there.
 */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  await prepareLedgerCollections(deps.database);
  const { db } = deps.database;
  const store = mongoLedgerStore(db);
  const contexts = new TenantContexts({ ...deps, store });
  const openExceptions = exceptionOpener({ ...deps, store: mongoExceptionStore(db) });
  const instances = new Map<unknown, unknown>();
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  const contractCheck = graph.contract.validator('EventEnvelope');
  const ingest = { ...deps, limits: deps.config.limits, contractCheck, openExceptions, contexts };
  const raw = { ...ingest, ingests: mongoIngestStore(db), adapterFor, adapterLimits: defaultAdapterLimits };
  instances.set(IngestResolver, new IngestResolver(ingest));
  instances.set(EventResolver, new EventResolver({ contexts, clock: deps.clock }));
  instances.set(SystemEntryResolver, new SystemEntryResolver(ingest));
  instances.set(ExceptionResolver, new ExceptionResolver({ openExceptions }));
  instances.set(RawIngestResolver, new RawIngestResolver(raw));
  const counting = { counts: mongoCountStore(db), chains: new ChainCounter() };
  instances.set(CountResolver, new CountResolver({ ...counting, contexts }));

  const copier = wormCopier({ store, contexts, logger: deps.logger });
  await copier.copyRecent();
  deps.jobs.recurring({
    name: 'ledger.copy',
    description: 'Copies records that a crash kept from the write-once store.',
    everyMs: COPY_INTERVAL_MS,
    run: async (signal) => void (await copier.copyAll(signal)),
  });
  deps.jobs.recurring({
    name: 'ledger.tally',
    description: 'Keeps tallies of what was appended, for the dashboard.',
    everyMs: TALLY_INTERVAL_MS,
    run: (signal) => keepTallies({ ...counting, store }, signal),
  });
  return {
    name: 'ledger',
    schema: graph.schema,
    health: async () => {
      await db.command({ ping: 1 });
    },
    queues: () => contexts.queues(),
    background: () => noBackgroundWork,
    close: async () => {},
  };
}
