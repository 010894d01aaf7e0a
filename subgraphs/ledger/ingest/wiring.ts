import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import { exceptionResolver } from '../exceptions/index.js';
import { adapterFor, DEFAULT_ADAPTER_LIMITS } from '../formats/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { agreementsOf } from '../source-feeds/index.js';
import { CodeWatch } from './code-watch.js';
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
    codeWatch: codeWatchOf(parts),
    ingests: mongoIngestStore(db),
    acknowledgementNumbers: mongoAcknowledgementNumbers(db),
    adapterFor,
    agreements: agreementsOf(db),
    adapterLimits: DEFAULT_ADAPTER_LIMITS,
  };
};

const codeWatchOf = ({ deps: { codeJudge: judge, clock, logger } }: LedgerParts): CodeWatch =>
  new CodeWatch({
    judge,
    clock,
    unavailable: (error) => logger.warn(describeUnexpected(error), 'code tables do not answer: codes are not judged'),
  });

const wire: WireArea = (parts) => ({
  resolvers: [new RawIngestResolver({ ...rawIngestDeps(parts), redactions: parts.redactions })],
});

/** Ingest of raw messages. */
export const ingestArea: LedgerArea = { resolvers: [RawIngestResolver], wire };
