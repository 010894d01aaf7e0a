import { graphRoute } from '../../graph-route.js';

export const placeHold = graphRoute({
  method: 'POST',
  path: '/v1/legal-holds',
  area: 'legal-holds',
  scope: 'holds:write',
  tenant: 'required',
  summary: 'Place a legal hold',
  description:
    'In force when it is answered, over what is there and over what comes later. What is named by id is held, and what fits all of the other members given.',
  operation: { name: 'PlaceLegalHold', field: 'placeLegalHold' },
  body: { argument: 'input' },
  bodyExample: {
    name: 'Doe v. Acme Health',
    scope: { member_ids: ['M-1001'] },
    reason: 'Complaint served; preservation duty begins.',
    authority: 'Counsel, letter of 2 March 2026',
  },
  answer: 'The hold, ACTIVE.',
});
