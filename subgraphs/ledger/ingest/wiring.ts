import { exceptionResolver } from '../exceptions/index.js';
import { adapterFor, DEFAULT_ADAPTER_LIMITS } from '../formats/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import type { ControlNumberDeps } from './control-number-watch.js';
import { mongoAcknowledgementNumbers, mongoControlNumberStore, mongoIngestStore } from './model.js';
import { RawIngestResolver } from './resolver.js';

/** Returns the stores, adapters and control number checks that an ingest of raw messages needs. */
export const rawIngestDeps = (parts: LedgerParts) => {
  const { db } = parts.deps.database;
  const controlNumbers: ControlNumberDeps = {
    controlNumbers: mongoControlNumberStore(db),
    openExceptions: parts.openExceptions,
    resolveException: exceptionResolver(parts),
  };
  return {
    ...parts.ingest,
    ...parts.deps,
    ...controlNumbers,
    contexts: parts.contexts,
    ingests: mongoIngestStore(db),
    acknowledgementNumbers: mongoAcknowledgementNumbers(db),
    adapterFor,
    adapterLimits: DEFAULT_ADAPTER_LIMITS,
  };
};

const wire: WireArea = (parts) => ({
  resolvers: [new RawIngestResolver({ ...rawIngestDeps(parts), redactions: parts.redactions })],
});

/** Ingest of raw messages. */
export const ingestArea: LedgerArea = { resolvers: [RawIngestResolver], wire };
