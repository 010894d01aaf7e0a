import { graphRoute } from '../../graph-route.js';

export const getAiDecision = graphRoute({
  method: 'GET',
  path: '/v1/ai-decisions/{id}',
  area: 'ai-decisions',
  scope: 'ai-provenance:read',
  tenant: 'required',
  summary: 'Read one AI decision',
  operation: { name: 'GetAiDecision', field: 'aiDecision' },
  params: { id: 'decision_id' },
  answer: 'The decision as recorded, and what took its place.',
});
