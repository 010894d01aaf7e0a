import { graphRoute } from '../../graph-route.js';

export const listDocuments = graphRoute({
  method: 'GET',
  path: '/v1/documents',
  area: 'documents',
  scope: 'documents:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'List documents',
  operation: { name: 'ListDocuments', field: 'documents' },
  answer: 'One page of documents, newest first unless told.',
});
