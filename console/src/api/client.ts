import createFetchClient from 'openapi-fetch';
import { ApiError, unwrap } from '../../../client/errors';
import type { components, paths } from '../../../client/schema';
import { remembered } from '../remembered';
import { reaching } from './reach';

export { ApiError, unwrap };

/** A type of the API's contract, by name. */
export type Api<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The session is a cookie, which the browser sends by itself. An operator names the tenant in each request. */
const client = createFetchClient<paths>({ baseUrl: location.origin, credentials: 'same-origin', fetch: reaching });
client.use({
  onRequest({ request }) {
    const tenant = remembered('tenant');
    if (tenant !== null && !request.headers.has('x-tenant-id')) request.headers.set('x-tenant-id', tenant);
    return request;
  },
});

export const api = client;

/** Whether the service refused a step because another user had changed the record. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

/** A request outside the typed operations, such as bytes. @throws ApiError */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const tenant = remembered('tenant');
  const headers = new Headers(init.headers);
  if (tenant !== null) headers.set('x-tenant-id', tenant);
  const response = await reaching(new Request(path, { credentials: 'same-origin', ...init, headers }));
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => ({}));
  throw new ApiError(typeof body === 'object' && body !== null ? { ...body } : {}, response);
}

/** Saves an answer as a file. */
export const save = async (path: string, filename: string, init?: RequestInit): Promise<void> =>
  saveBlob(await (await send(path, init)).blob(), filename);

/** Hands bytes to the browser as a file. */
export function saveBlob(blob: Blob, filename: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // The download has the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** An answer that the contract also offers in other media types, read as JSON. */
export async function readJson<Name extends keyof components['schemas']>(
  path: string,
  init: RequestInit = {},
): Promise<Api<Name>> {
  const response = await send(path, { ...init, headers: { accept: 'application/json', ...init.headers } });
  return (await response.json()) as Api<Name>;
}
