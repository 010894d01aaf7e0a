import { graphRoute } from '../../graph-route.js';

export const draftRedaction = graphRoute({
  method: 'POST',
  path: '/v1/redactions',
  area: 'redactions',
  scope: 'redactions:write',
  tenant: 'required',
  summary: 'Draft a redaction',
  description:
    'Of an event by JSON Pointers, of a document by terms or pages (text/plain and application/pdf). A draft hides nothing yet.',
  operation: { name: 'DraftRedaction', field: 'draftRedaction' },
  body: { argument: 'input' },
  bodyExample: {
    subject: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' },
    pointers: ['/payload/rationale'],
    reason: 'Names a third person.',
    basis: '45 CFR 164.502(b)',
  },
  secretAnswer: true,
  answer: 'The redaction, DRAFT.',
});
