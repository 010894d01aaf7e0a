import type { LedgerArea, WireArea } from '../parts.js';
import { deriveAll } from './derive.js';
import { AI_DECISION_MACHINE } from './domain/decision.js';
import { mongoAiDecisionStore } from './model.js';
import { AiDecisionResolver } from './resolver.js';

/** Longest delay in ms before the job indexes an entry that a crash left out. */
const DERIVE_INTERVAL_MS = 30_000;

const wire: WireArea = ({ deps, store, contexts, ingest, openExceptions, requireProven }) => {
  const decisions = mongoAiDecisionStore(deps.database.db);
  const services = { ...ingest, ...deps, contexts, decisions, openExceptions, requireProven };
  deps.jobs.recurring({
    name: 'ledger.ai-decisions',
    description: 'Indexes AI decisions after a request ended between its entry and its answer.',
    everyMs: DERIVE_INTERVAL_MS,
    run: (signal) => deriveAll({ ...services, store }, signal),
  });
  return { resolvers: [new AiDecisionResolver(services)] };
};

/** AI decisions: entries of `ai-provenance` and the index that finds them. */
export const aiDecisionsArea: LedgerArea = {
  resolvers: [AiDecisionResolver],
  stateMachines: [AI_DECISION_MACHINE],
  wire,
};
