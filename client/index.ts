export { type ApiClient, type ApiClientOptions, createApiClient } from './client.js';
export {
  BundleBytesError,
  type DownloadOptions,
  downloadBundle,
  type SavedBundle,
  saveBundle,
} from './download-bundle.js';
export { ApiError, type ErrorCode, type FieldFault, isApiError, type Problem, unwrap } from './errors.js';
export { ingestRaw, type RawMessageOptions } from './ingest-raw.js';
export { type ItemOf, type ListParameters, type ListPath, paginate } from './paginate.js';
export type { RetryOptions } from './retry.js';
export { newIdempotencyKey } from './runtime.js';
export type { components, operations, paths, webhooks } from './schema.js';
export {
  verifyWebhook,
  type WebhookDelivery,
  WebhookError,
  type WebhookHeaders,
  type WebhookRequest,
} from './verify-webhook.js';
export {
  type Bundle,
  BundleFailedError,
  BundleTimeoutError,
  type WaitOptions,
  waitForSealed,
} from './wait-for-sealed.js';
