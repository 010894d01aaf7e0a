import { graphRoute } from '../../graph-route.js';

export const verifyLedger = graphRoute({
  method: 'GET',
  path: '/v1/ledger/verify',
  area: 'ledger',
  scope: 'events:read',
  tenant: 'required',
  summary: 'Re-hash the ledger against the write-once store',
  operation: { name: 'VerifyLedger', field: 'verifyLedger' },
  answer: 'What was checked, and every break that was found.',
});
