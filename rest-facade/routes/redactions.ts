import { type RouteArea, routeTable } from '../route-table.js';

const REDACTIONS: RouteArea = {
  area: 'redactions',
  id: 'redaction_id',
  reads: 'redactions:read',
  writes: 'redactions:write',
};

export const redactionRoutes = routeTable(REDACTIONS, {
  'POST /v1/redactions': {
    summary: 'Draft a redaction',
    description:
      'Redacts an event by JSON Pointers, or a document by terms or pages (text/plain, application/pdf, image/png and image/jpeg). A draft hides nothing yet.',
    operation: { name: 'DraftRedaction', field: 'draftRedaction' },
    bodyExample: {
      subject: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' },
      pointers: ['/payload/rationale'],
      reason: 'Names a third person.',
      basis: '45 CFR 164.502(b)',
    },
    secretAnswer: true,
    answer: 'The redaction, DRAFT.',
  },
  'GET /v1/redactions': {
    summary: 'List redactions',
    operation: { name: 'ListRedactions', field: 'redactions' },
    answer: 'One page of redactions, newest first by default.',
  },
  'GET /v1/redactions/{id}': {
    summary: 'Read one redaction',
    operation: { name: 'GetRedaction', field: 'redaction' },
    answer: 'The redaction with its steps.',
  },
  'PATCH /v1/redactions/{id}': {
    summary: 'Change a draft',
    description: 'Absent members stay; a given list replaces the previous one.',
    operation: { name: 'UpdateRedaction', field: 'updateRedaction' },
    bodyExample: { reason: 'Names a third person, and her address.' },
    secretAnswer: true,
    answer: 'The redaction, DRAFT.',
  },
  'DELETE /v1/redactions/{id}': {
    summary: 'Discard a draft',
    description: 'The record stays, DISCARDED.',
    operation: { name: 'DiscardRedaction', field: 'discardRedaction' },
    answer: 'The redaction, DISCARDED.',
  },
  'POST /v1/redactions/{id}/apply': {
    scope: 'redactions:apply',
    summary: 'Apply a redaction',
    description:
      'Makes the rendition, which readers without documents:unredacted get from then on; the original stays. A person who drafted it may not apply it, unless the deployment allows that. Final.',
    operation: { name: 'ApplyRedaction', field: 'applyRedaction' },
    bodyOptional: true,
    bodyExample: { revision: 2 },
    secretAnswer: true,
    answer: 'The redaction, APPLIED.',
  },
});
