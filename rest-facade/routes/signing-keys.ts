import { problem } from '../../shared/errors/problem.js';
import { TENANT_ID_PATTERN } from '../../shared/ids/tenant.js';
import { operationOf } from '../graph-route.js';
import type { CustomRoute } from '../route-table.js';
import { type RouteArea, routeTable } from '../route-table.js';

const SIGNING_KEYS: RouteArea = { area: 'signing-keys', id: 'key_id', reads: 'admin' };

const JWKS_FIELD = 'signingKeySet';

/** Open without a key, so that anyone who holds a bundle can verify it. */
const getJwks: CustomRoute = (contract) => ({
  scope: null,
  takesKey: true,
  summary: 'Read the public signing keys of a tenant',
  description:
    'With an API key: the keys of its tenant. Without one, tenant_id is required. An unknown tenant has an empty set.',
  operation: { name: 'GetSigningKeySet', field: JWKS_FIELD },
  query: {
    tenant_id: { type: 'string', description: "The tenant's identifier.", pattern: TENANT_ID_PATTERN },
  },
  response: {
    description: 'A JSON Web Key Set (RFC 7517): kid, use, purpose, status, and the time in which each key signs.',
    schema: operationOf(contract, JWKS_FIELD).result,
  },
  handle: async (call) => {
    const tenantId = call.tenant?.tenant_id ?? call.query['tenant_id'];
    if (tenantId === undefined) throw problem('TENANT_REQUIRED');
    return call.run({ tenant_id: tenantId });
  },
});

export const signingKeyRoutes = routeTable(SIGNING_KEYS, {
  'POST /v1/signing-keys': {
    summary: 'Create a signing key',
    description: 'It signs nothing until it is activated.',
    operation: { name: 'CreateSigningKey', field: 'createSigningKey' },
    bodyExample: { purpose: 'BUNDLE', algorithm: 'Ed25519' },
    answer: 'The key, PENDING.',
  },
  'GET /v1/signing-keys': {
    summary: 'List signing keys',
    operation: { name: 'ListSigningKeys', field: 'signingKeys' },
    answer: 'One page of the tenant’s keys.',
  },
  'GET /v1/signing-keys/jwks': getJwks,
  'GET /v1/signing-keys/{id}': {
    summary: 'Read one signing key',
    operation: { name: 'GetSigningKey', field: 'signingKey' },
    answer: 'The key.',
  },
  'POST /v1/signing-keys/{id}/activate': {
    summary: 'Activate a signing key',
    description: 'Retires the previous key of the same purpose. Activating the active key changes nothing.',
    operation: { name: 'ActivateSigningKey', field: 'activateSigningKey' },
    bodyExample: {},
    answer: 'The key, ACTIVE.',
  },
  'POST /v1/signing-keys/{id}/retire': {
    summary: 'Retire a signing key',
    description: 'Its signatures stay valid. The next signature creates a new key.',
    operation: { name: 'RetireSigningKey', field: 'retireSigningKey' },
    bodyExample: {},
    answer: 'The key, RETIRED.',
  },
  'POST /v1/signing-keys/{id}/revoke': {
    summary: 'Revoke a signing key',
    description: 'Signatures of effective_at and later are not trustworthy.',
    operation: { name: 'RevokeSigningKey', field: 'revokeSigningKey' },
    bodyExample: { reason: 'KEY_COMPROMISE', effective_at: '2026-03-02T14:11:10.004Z' },
    answer: 'The key, REVOKED.',
  },
});
