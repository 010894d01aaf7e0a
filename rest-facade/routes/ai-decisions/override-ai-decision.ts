import { graphRoute } from '../../graph-route.js';

export const overrideAiDecision = graphRoute({
  method: 'POST',
  path: '/v1/ai-decisions/{id}/override',
  area: 'ai-decisions',
  scope: 'ai-provenance:write',
  tenant: 'required',
  summary: 'Override an AI decision',
  description: 'Another entry of the ledger; that of the decision, and of every earlier override, stays as it is.',
  operation: { name: 'OverrideAiDecision', field: 'overrideAiDecision' },
  params: { id: 'decision_id' },
  body: { argument: 'input' },
  bodyExample: {
    outcome: 'APPROVE',
    reason: 'Conservative therapy was documented in the notes.',
    overridden_by: 'dr-17',
    credentials: 'MD CA-A12345',
  },
  answer: 'The decision, OVERRIDDEN.',
});
