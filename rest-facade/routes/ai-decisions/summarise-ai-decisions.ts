import { graphRoute } from '../../graph-route.js';

export const summariseAiDecisions = graphRoute({
  method: 'GET',
  path: '/v1/ai-decisions/summary',
  area: 'ai-decisions',
  scope: 'ai-provenance:read',
  tenant: 'required',
  summary: 'Counts and override rates of AI decisions',
  description: 'By type, model, version, outcome and month; `from` and `to` are about the time of the decision.',
  operation: { name: 'SummariseAiDecisions', field: 'aiDecisionSummary' },
  answer: 'Counts, rates and the trend of overrides.',
});
