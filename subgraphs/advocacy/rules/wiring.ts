import { repeat } from '../../../shared/clock/timers.js';
import { Problem } from '../../../shared/errors/problem.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { AdvocacyArea } from '../parts.js';
import { readOwnCodes, readSharedCorpus } from './adapter.js';
import { knownCodesOver } from './content.js';
import { importCorpus } from './import-corpus.js';
import { RULES } from './model.js';
import { RuleResolver } from './resolver.js';

const IMPORT_AGAIN_MS = 5_000;

/** Starts the import of the shared corpus, and returns the resolvers over it. */
const wire: NonNullable<AdvocacyArea['wire']> = async ({ deps, rules, corpus, codeTables }) => {
  const { logger } = deps;
  const importShared = async (): Promise<void> => {
    const report = await importCorpus({ ...deps, rules }, readSharedCorpus());
    corpus.imported();
    if (report.added + report.revised > 0) logger.info(report, 'imported the shared rules');
  };
  const later = (error: unknown): void =>
    logger.warn(describeUnexpected(error), 'the shared rules are not imported yet; the import is retried');
  // Imported before the service starts to serve, unless the admin subgraph is another process that is not up yet.
  let isImported = await importShared().then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'UNAVAILABLE') throw error;
      later(error);
      return false;
    },
  );
  const knownCodes = knownCodesOver(readOwnCodes(), codeTables);
  return {
    resolvers: [new RuleResolver({ ...deps, rules, knownCodes })],
    background: () =>
      repeat(
        IMPORT_AGAIN_MS,
        async () => {
          if (isImported) return;
          await importShared();
          isImported = true;
        },
        later,
      ),
  };
};

/** Rules: the shared corpus and each tenant's own rules. */
export const rulesArea: AdvocacyArea = { resolvers: [RuleResolver], collections: [RULES], wire };
