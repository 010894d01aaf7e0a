import { graphRoute } from '../../graph-route.js';

export const listAiDecisions = graphRoute({
  method: 'GET',
  path: '/v1/ai-decisions',
  area: 'ai-decisions',
  scope: 'ai-provenance:read',
  tenant: 'required',
  summary: 'List AI decisions',
  operation: { name: 'ListAiDecisions', field: 'aiDecisions' },
  answer: 'One page of decisions, by the time of their recording, newest first unless told.',
});
