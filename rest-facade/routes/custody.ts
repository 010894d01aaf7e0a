import { type RouteArea, routeTable } from '../route-table.js';

const CUSTODY: RouteArea = { area: 'custody', reads: 'custody:read', writes: 'custody:write' };

export const custodyRoutes = routeTable(CUSTODY, {
  'GET /v1/custody': {
    summary: 'List the chain of custody',
    description:
      'For one event, document, bundle, member, hold or raw body, or for the whole tenant. Reading it records no entry.',
    operation: { name: 'ListCustody', field: 'custody' },
    answer: 'One page of entries, oldest first by default.',
  },
  'POST /v1/custody': {
    summary: 'Record an act of custody',
    description: 'For acts outside the service. The service records its own acts.',
    operation: { name: 'RecordCustody', field: 'recordCustody' },
    bodyExample: {
      action: 'TRANSFERRED',
      subject: { kind: 'BUNDLE', id: 'bdl_01JQ0000000000000000000001' },
      recipient: 'Outside counsel',
      purpose: 'litigation',
    },
    answer: 'The entry with its position in the chain.',
  },
  'GET /v1/custody/verify': {
    summary: 'Verify the chain of custody',
    description: 'Hashes the partition `_custody` again and compares it with its write-once copies.',
    operation: { name: 'VerifyCustody', field: 'verifyCustody' },
    answer: 'Whether the chain is valid, with every break and every unchecked part.',
  },
});
