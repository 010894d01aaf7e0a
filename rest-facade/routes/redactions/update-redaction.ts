import { graphRoute } from '../../graph-route.js';

export const updateRedaction = graphRoute({
  method: 'PATCH',
  path: '/v1/redactions/{id}',
  area: 'redactions',
  scope: 'redactions:write',
  tenant: 'required',
  summary: 'Change a draft',
  description: 'Absent stays; a list that is given stands in place of the one before.',
  operation: { name: 'UpdateRedaction', field: 'updateRedaction' },
  params: { id: 'redaction_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'Names a third person, and her address.' },
  secretAnswer: true,
  answer: 'The redaction, DRAFT.',
});
