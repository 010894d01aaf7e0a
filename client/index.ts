export { type ApiClient, type ApiClientOptions, ApiError, createApiClient, unwrap } from './client.js';
export { downloadBundle, ingestRaw, type RawMessageOptions } from './helpers.js';
export type { components, operations, paths } from './schema.js';
