import { repeat } from '../../../shared/clock/timers.js';
import { Problem } from '../../../shared/errors/problem.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import { readOwnCodes } from '../adapters/own-codes.js';
import { readSharedCorpus } from '../adapters/shared-corpus.js';
import { RuleResolver } from '../resolvers/rule-resolver.js';
import { RuleTiesResolver } from '../resolvers/rule-ties-resolver.js';
import { importCorpus } from '../service/import-corpus.js';
import { knownCodesOver } from '../service/known-codes.js';
import type { WireArea } from './parts.js';

const IMPORT_AGAIN_MS = 5_000;

/** Rules: a versioned corpus, shared and each tenant's own. */
export const wireRules: WireArea = async ({ deps, rules, codeTables }) => {
  const { logger } = deps;
  const importShared = async (): Promise<void> => {
    const report = await importCorpus({ ...deps, rules }, readSharedCorpus());
    if (report.added + report.revised > 0) logger.info(report, 'the shared rules are imported');
  };
  const later = (error: unknown): void =>
    logger.warn(describeUnexpected(error), 'the shared rules are not imported yet; tried again');
  // The first start has them before it serves. Where the admin subgraph is another process that is not up yet, later.
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
    resolvers: [
      [RuleResolver, new RuleResolver({ ...deps, rules, knownCodes })],
      [RuleTiesResolver, new RuleTiesResolver(rules)],
    ],
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
