import type { LedgerArea, WireArea } from '../parts.js';
import { NOTICES } from './model/notices.js';
import { IngestResolver } from './resolvers/ingest-resolver.js';
import { SystemEntryResolver } from './resolvers/system-entry-resolver.js';
import { EventEnvelope, EventPayload } from './schema/event-envelope.js';
import { IngestResult } from './schema/ingest-result.js';

const TIDY_INTERVAL_MS = 60_000;

const wire: WireArea = ({ deps, contexts, ingest, redactions, duplicates }) => {
  const services = { ...ingest, ...deps, contexts, redactions };
  deps.jobs.recurring({
    name: 'ledger.notices',
    description: 'Removes sent notices of repeated events that a crash left behind.',
    everyMs: TIDY_INTERVAL_MS,
    run: () => duplicates.notices.removePerformed(),
  });
  return {
    resolvers: [new IngestResolver(services), new SystemEntryResolver(services)],
    close: () => duplicates.reporter.settled(),
  };
};

/** Appends of event envelopes and of the service's own entries. */
export const appendArea: LedgerArea = {
  resolvers: [IngestResolver, SystemEntryResolver],
  contractTypes: [EventEnvelope, EventPayload, IngestResult],
  collectionsWithEffects: [NOTICES.name],
  wire,
};
