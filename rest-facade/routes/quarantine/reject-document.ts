import { graphRoute } from '../../graph-route.js';

export const rejectDocument = graphRoute({
  method: 'POST',
  path: '/v1/quarantine/{id}/reject',
  area: 'quarantine',
  scope: 'quarantine:release',
  tenant: 'required',
  summary: 'Keep a document from being read for good',
  operation: { name: 'RejectDocument', field: 'rejectDocument' },
  params: { id: 'document_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'A program that was sent as a letter.', reviewed_by: 'j.doe' },
  answer: 'The document.',
});
