import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { deriveAll } from './derive.js';
import { AI_DECISION_MACHINE } from './domain/decision.js';
import { mongoAiDecisionStore } from './model.js';
import { AiDecisionResolver, aiDecisionReferences } from './resolver.js';

/** Longest delay in ms before the job indexes an entry that a crash left out. */
const DERIVE_INTERVAL_MS = 30_000;

function servicesOf({ deps, contexts, ingest, openExceptions, requireProven }: LedgerParts) {
  const decisions = mongoAiDecisionStore(deps.database.db);
  return { ...ingest, ...deps, contexts, decisions, openExceptions, requireProven };
}

const wire: WireArea = (parts) => {
  const { deps, store } = parts;
  const services = servicesOf(parts);
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
  references: { AiDecision: (parts) => aiDecisionReferences(servicesOf(parts)) },
  stateMachines: [AI_DECISION_MACHINE],
  wire,
};
