import createFetchClient, { type Client } from 'openapi-fetch';
import { type Fetch, type RetryOptions, retrying } from './retry.js';
import type { paths } from './schema.js';

/** Every operation of `/v1`, typed by the OpenAPI description: `api.GET('/v1/events/{id}', { params: … })`. */
export type ApiClient = Client<paths>;

export interface ApiClientOptions {
  /** Where the service listens, without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Needed by an operator's key alone; a tenant's key means its own tenant. */
  readonly tenantId?: string;
  /** How requests are retried that are safe to repeat. */
  readonly retry?: RetryOptions;
  /** Another fetch, for proxies and tests. */
  readonly fetch?: Fetch;
}

/** Makes a client that retries reads and POSTs (README.md "Retries"). */
export function createApiClient({ baseUrl, apiKey, tenantId, retry, fetch }: ApiClientOptions): ApiClient {
  return createFetchClient<paths>({
    baseUrl,
    headers: { 'X-Api-Key': apiKey, ...(tenantId === undefined ? {} : { 'X-Tenant-Id': tenantId }) },
    // Looked up at each call, so that a program may replace the global one.
    fetch: retrying(fetch ?? ((request) => globalThis.fetch(request)), retry),
  });
}
