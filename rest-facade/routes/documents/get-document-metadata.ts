import { graphRoute } from '../../graph-route.js';

export const getDocumentMetadata = graphRoute({
  method: 'GET',
  path: '/v1/documents/{id}/metadata',
  area: 'documents',
  scope: 'documents:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'Read what is known of a document',
  operation: { name: 'GetDocumentMetadata', field: 'document' },
  params: { id: 'document_id' },
  answer: 'The document, without its bytes.',
});
