import { createApiClient } from '../client/client.js';
import { systemRandomness } from '../shared/ids/ids.js';
import type { JoinService, ServiceAddress, TenantOptions, TestTenant } from './api.js';

export const TENANT = 'test-tenant';
const RANDOM_BYTES = 8;
const randomness = systemRandomness();

/** Makes a tenant of a running service, with a key and a client. */
export async function makeTenant(
  { url, operatorKey }: ServiceAddress,
  { tenantId, scopes = ['admin'] }: TenantOptions & { readonly tenantId: string },
): Promise<TestTenant> {
  await post(url, operatorKey, '/v1/tenants', { tenant_id: tenantId, name: `Tenant ${tenantId}` });
  const key = await post(url, operatorKey, '/v1/api-keys', { tenant_id: tenantId, name: 'testing kit', scopes });
  const apiKey = String(key['api_key']);
  return { tenantId, apiKey, client: createApiClient({ baseUrl: url, apiKey }) };
}

/** Processes that join one service do not know the tenants of each other, so the default id is random. */
export const joinService: JoinService = async ({ url, operatorKey }, options = {}) => {
  const at = { url, operatorKey };
  const newTenant = ({ tenantId = randomTenantId(), ...rest }: TenantOptions = {}): Promise<TestTenant> =>
    makeTenant(at, { ...rest, tenantId });
  return { ...(await newTenant(options)), ...at, newTenant };
};

function randomTenantId(): string {
  const bytes = randomness.fill(new Uint8Array(RANDOM_BYTES));
  return `${TENANT}-${Buffer.from(bytes).toString('hex')}`;
}

async function post(
  url: string,
  operatorKey: string,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json', 'x-api-key': operatorKey };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the testing kit could not make a tenant: ${path} answered ${answer.status} ${text}`);
  return JSON.parse(text);
}
