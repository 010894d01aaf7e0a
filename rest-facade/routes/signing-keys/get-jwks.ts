import { problem } from '../../../shared/errors/problem.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { operationOf } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

const FIELD = 'signingKeySet';

/** Open: who holds a bundle must be able to check it, without being a client of ours. */
export const getJwks: RouteMaker = (contract) => ({
  method: 'GET',
  path: '/v1/signing-keys/jwks',
  area: 'signing-keys',
  scope: null,
  takesKey: true,
  tenant: 'required',
  summary: 'Read the public signing keys of a tenant',
  description:
    'With a key, those of its tenant; without one, tenant_id is required. A tenant that is not there has the empty set.',
  operation: { name: 'GetSigningKeySet', field: FIELD },
  query: {
    tenant_id: { type: 'string', description: "The tenant's identifier.", pattern: TENANT_ID_PATTERN },
  },
  response: {
    description: 'A JSON Web Key Set (RFC 7517): kid, use, purpose, status, and the span in which each key signs.',
    schema: operationOf(contract, FIELD).result,
  },
  handle: async (call) => {
    const tenantId = call.tenant?.tenant_id ?? call.query['tenant_id'];
    if (tenantId === undefined) throw problem('TENANT_REQUIRED');
    return call.run({ tenant_id: tenantId });
  },
});
