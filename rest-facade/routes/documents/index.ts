import { type RouteArea, routeTable } from '../../route-table.js';
import { getDocument } from './get-document.js';
import { postDocument } from './post-document.js';

const DOCUMENTS: RouteArea = {
  area: 'documents',
  id: 'document_id',
  reads: 'documents:read',
  writes: 'documents:write',
};

export const documentRoutes = routeTable(DOCUMENTS, {
  'POST /v1/documents': postDocument,
  'GET /v1/documents': {
    members: { custody: 'facade' },
    summary: 'List documents',
    operation: { name: 'ListDocuments', field: 'documents' },
    answer: 'One page of documents, newest first by default.',
  },
  'GET /v1/documents/{id}': {
    members: { custody: 'own' },
    summary: 'Read the content of a document',
    description:
      'Streams the bytes; the entity tag is their SHA-256. Readers without documents:unredacted get the redacted rendition if there is one. `X-Content-Scan: pending` means that the scan has not finished. Recorded in custody before the first byte is sent.',
    operation: { name: 'GetDocumentContent', field: 'documentContent' },
    answer: 'The bytes as uploaded.',
    extend: getDocument,
  },
  'GET /v1/documents/{id}/metadata': {
    members: { custody: 'facade' },
    summary: 'Read the metadata of a document',
    operation: { name: 'GetDocumentMetadata', field: 'document' },
    answer: 'The document, without its bytes.',
  },
  'POST /v1/documents/{id}/events/{event_id}': {
    summary: 'Attach a document to an event',
    operation: { name: 'AttachDocument', field: 'attachDocument' },
    answer: 'The document. Attaching it again changes nothing.',
  },
  'DELETE /v1/documents/{id}/events/{event_id}': {
    summary: 'Detach a document from an event',
    description: '409 LEGAL_HOLD_ACTIVE while a hold covers the document through this event alone.',
    operation: { name: 'DetachDocument', field: 'detachDocument' },
    conflicts: true,
    answer: 'The document.',
  },
});

const QUARANTINE: RouteArea = {
  area: 'quarantine',
  id: 'document_id',
  reads: 'documents:read',
  writes: 'quarantine:release',
};

export const quarantineRoutes = routeTable(QUARANTINE, {
  'GET /v1/quarantine': {
    summary: 'List documents in quarantine',
    operation: { name: 'ListQuarantine', field: 'quarantine' },
    answer: 'One page of quarantined documents with their findings, newest first by default.',
  },
  'POST /v1/quarantine/{id}/release': {
    summary: 'Release a document from quarantine',
    operation: { name: 'ReleaseDocument', field: 'releaseDocument' },
    bodyExample: { reason: 'A form of the state with a calculation in it.', reviewed_by: 'j.doe' },
    answer: 'The document.',
  },
  'POST /v1/quarantine/{id}/reject': {
    summary: 'Reject a document in quarantine, permanently',
    operation: { name: 'RejectDocument', field: 'rejectDocument' },
    bodyExample: { reason: 'A program that was sent as a letter.', reviewed_by: 'j.doe' },
    answer: 'The document.',
  },
});
