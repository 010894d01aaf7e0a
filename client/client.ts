import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.js';

/** Every operation of `/v1`, typed by the OpenAPI description: `api.GET('/v1/events/{id}', { params: … })`. */
export type ApiClient = Client<paths>;

export interface ApiClientOptions {
  /** Where the service listens, without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Needed by an operator's key alone; a tenant's key means its own tenant. */
  readonly tenantId?: string;
  /** Another fetch, for proxies and tests. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export function createApiClient({ baseUrl, apiKey, tenantId, fetch }: ApiClientOptions): ApiClient {
  return createFetchClient<paths>({
    baseUrl,
    headers: { 'X-Api-Key': apiKey, ...(tenantId === undefined ? {} : { 'X-Tenant-Id': tenantId }) },
    ...(fetch ? { fetch } : {}),
  });
}

/** The service's Error object, thrown. `code` is what to decide by. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly faults: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(body: Readonly<Record<string, unknown>>, response: Response) {
    super(String(body['message'] ?? response.statusText));
    this.name = 'ApiError';
    this.code = String(body['code'] ?? 'INTERNAL');
    this.status = response.status;
    this.requestId = String(body['request_id'] ?? '');
    this.faults = Array.isArray(body['errors']) ? body['errors'] : [];
    const wait = response.headers.get('retry-after');
    this.retryAfterSeconds = wait === null ? undefined : Number(wait);
  }
}

interface Outcome<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of an answer, for those who would rather catch. @throws ApiError */
export async function unwrap<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await outcome;
  // openapi-fetch sets `data` on every answer without an error.
  if (response.ok && error === undefined) return data as T;
  const isObject = typeof error === 'object' && error !== null;
  throw new ApiError(isObject ? { ...error } : { message: String(error ?? '') }, response);
}
