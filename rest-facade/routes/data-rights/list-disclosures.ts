import { graphRoute } from '../../graph-route.js';

export const listDisclosures = graphRoute({
  method: 'GET',
  path: '/v1/data-rights/{id}/disclosures',
  area: 'data-rights',
  scope: 'data-rights:read',
  tenant: 'required',
  summary: 'List who was given what of a member',
  description:
    'Of an ACCOUNTING_OF_DISCLOSURES from its start on, else 409 CONFLICT; as it was given once it is fulfilled. Recorded in custody (READ_DISCLOSURES).',
  operation: { name: 'ListDisclosures', field: 'dataRightDisclosures' },
  params: { id: 'data_right_id' },
  conflicts: true,
  answer: 'One page of disclosures, oldest first.',
});
