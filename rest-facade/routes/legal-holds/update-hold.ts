import { graphRoute } from '../../graph-route.js';

export const updateHold = graphRoute({
  method: 'PATCH',
  path: '/v1/legal-holds/{id}',
  area: 'legal-holds',
  scope: 'holds:write',
  tenant: 'required',
  summary: 'Change or widen a legal hold',
  description: 'Absent stays. A scope that would hold less is refused: that is a release, which needs an authority.',
  operation: { name: 'UpdateLegalHold', field: 'updateLegalHold' },
  params: { id: 'hold_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'Amended complaint.' },
  answer: 'The hold.',
});
