import { graphRoute } from '../../graph-route.js';

export const detachDocument = graphRoute({
  method: 'DELETE',
  path: '/v1/documents/{id}/events/{event_id}',
  area: 'documents',
  scope: 'documents:write',
  tenant: 'required',
  summary: 'Take a document off an event',
  description: '409 LEGAL_HOLD_ACTIVE while a hold covers the document by this event alone.',
  operation: { name: 'DetachDocument', field: 'detachDocument' },
  params: { id: 'document_id', event_id: 'event_id' },
  conflicts: true,
  answer: 'The document.',
});
