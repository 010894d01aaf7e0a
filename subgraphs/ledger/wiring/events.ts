import { defaultAdapterLimits } from '../adapters/adapter.js';
import { adapterFor } from '../adapters/registry.js';
import { mongoAcknowledgementNumbers } from '../model/acknowledgement-number-model.js';
import { mongoIngestStore } from '../model/ingest-model.js';
import { EventResolver } from '../resolvers/event-resolver.js';
import { IngestResolver } from '../resolvers/ingest-resolver.js';
import { RawIngestResolver } from '../resolvers/raw-ingest-resolver.js';
import { SystemEntryResolver } from '../resolvers/system-entry-resolver.js';
import { wormCopier } from '../service/copy-to-worm.js';
import { controlNumberDeps } from './control-numbers.js';
import type { WireArea } from './parts.js';

const COPY_INTERVAL_MS = 60_000;

/**
 * Events: ingest of envelopes and raw messages, the service's own entries, reads. When it resolves, what a crashed process
 * kept from the write-once store has been copied there.
 */
export const wireEvents: WireArea = async (parts) => {
  const { deps, store, contexts, ingest, redactions } = parts;
  const services = { ...ingest, ...deps, contexts, redactions };
  const ingests = mongoIngestStore(deps.database.db);
  const raw = {
    ...services,
    ...controlNumberDeps(parts),
    ingests,
    acknowledgementNumbers: mongoAcknowledgementNumbers(deps.database.db),
    adapterFor,
    adapterLimits: defaultAdapterLimits,
  };
  const copier = wormCopier({ store, contexts, logger: deps.logger });
  await copier.copyRecent();
  deps.jobs.recurring({
    name: 'ledger.copy',
    description: 'Copies records that a crash kept from the write-once store.',
    everyMs: COPY_INTERVAL_MS,
    run: async (signal) => void (await copier.copyAll(signal)),
  });
  return {
    resolvers: [
      [IngestResolver, new IngestResolver(services)],
      [EventResolver, new EventResolver(services)],
      [SystemEntryResolver, new SystemEntryResolver(services)],
      [RawIngestResolver, new RawIngestResolver(raw)],
    ],
  };
};
