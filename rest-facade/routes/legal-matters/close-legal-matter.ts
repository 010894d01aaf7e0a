import { graphRoute } from '../../graph-route.js';

export const closeLegalMatter = graphRoute({
  method: 'POST',
  path: '/v1/legal-matters/{id}/close',
  area: 'legal-matters',
  scope: 'matters:write',
  tenant: 'required',
  summary: 'Close a legal matter',
  description: 'Final. 409 LEGAL_HOLD_ACTIVE while one of its holds is active.',
  operation: { name: 'CloseLegalMatter', field: 'closeLegalMatter' },
  params: { id: 'matter_id' },
  body: 'free',
  answer: 'The legal matter, CLOSED.',
});
