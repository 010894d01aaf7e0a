import { graphRoute } from '../../graph-route.js';

export const releaseDocument = graphRoute({
  method: 'POST',
  path: '/v1/quarantine/{id}/release',
  area: 'quarantine',
  scope: 'quarantine:release',
  tenant: 'required',
  summary: 'Let a document out of quarantine',
  operation: { name: 'ReleaseDocument', field: 'releaseDocument' },
  params: { id: 'document_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'A form of the state with a calculation in it.', reviewed_by: 'j.doe' },
  answer: 'The document.',
});
