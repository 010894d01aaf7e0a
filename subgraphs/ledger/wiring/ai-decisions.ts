import { mongoAiDecisionStore } from '../model/ai-decision-model.js';
import { AiDecisionResolver } from '../resolvers/ai-decision-resolver.js';
import { deriveAll } from '../service/ai-derive.js';
import type { WireArea } from './parts.js';

/** What a crash kept between an entry and what finds it is found this late at most. */
const DERIVE_INTERVAL_MS = 30_000;

/** AI decisions: entries of `ai-provenance`, and what finds them. */
export const wireAiDecisions: WireArea = ({ deps, store, contexts, ingest, openExceptions }) => {
  const decisions = mongoAiDecisionStore(deps.database.db);
  const services = { ...ingest, ...deps, contexts, decisions, openExceptions };
  deps.jobs.recurring({
    name: 'ledger.ai-decisions',
    description: 'Finds AI decisions whose request ended between their entry and its answer.',
    everyMs: DERIVE_INTERVAL_MS,
    run: (signal) => deriveAll({ ...services, store }, signal),
  });
  return { resolvers: [[AiDecisionResolver, new AiDecisionResolver(services)]] };
};
