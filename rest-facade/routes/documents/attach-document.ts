import { graphRoute } from '../../graph-route.js';

export const attachDocument = graphRoute({
  method: 'POST',
  path: '/v1/documents/{id}/events/{event_id}',
  area: 'documents',
  scope: 'documents:write',
  tenant: 'required',
  summary: 'Attach a document to an event',
  operation: { name: 'AttachDocument', field: 'attachDocument' },
  params: { id: 'document_id', event_id: 'event_id' },
  body: 'free',
  answer: 'The document; where it was attached already, as it is.',
});
