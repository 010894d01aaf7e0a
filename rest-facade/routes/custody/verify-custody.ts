import { graphRoute } from '../../graph-route.js';

export const verifyCustody = graphRoute({
  method: 'GET',
  path: '/v1/custody/verify',
  area: 'custody',
  scope: 'custody:read',
  tenant: 'required',
  summary: 'Verify the chain of custody',
  description: 'Hashes the partition `_custody` again and compares it with its write-once copies.',
  operation: { name: 'VerifyCustody', field: 'verifyCustody' },
  answer: 'Whether the chain holds, with every break and what was not checked.',
});
