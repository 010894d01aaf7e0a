import type { ApiClient } from './client.js';
import { unwrap } from './errors.js';
import type { components, operations } from './schema.js';

type RawAnswer = components['schemas']['RawIngestResult'];
type Format = NonNullable<NonNullable<operations['ingestRaw']['parameters']['query']>['format']>;

export interface RawMessageOptions {
  readonly sourceSystem?: string;
  /** By default the service detects it from the first bytes. */
  readonly format?: Format;
  /** A ULID or UUID: the same request again gets the first answer. By default each call has a new one. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Sends a message as it is: text or bytes, never as JSON. @throws ApiError */
export async function ingestRaw(
  client: ApiClient,
  message: string | Uint8Array<ArrayBuffer> | Blob,
  { sourceSystem, format, idempotencyKey, signal }: RawMessageOptions = {},
): Promise<RawAnswer> {
  const query = {
    ...(sourceSystem === undefined ? {} : { source_system: sourceSystem }),
    ...(format === undefined ? {} : { format }),
  };
  const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  const answer = await unwrap(
    client.POST('/v1/ingest/raw', {
      params: { query, header },
      headers: { 'Content-Type': 'application/octet-stream' },
      // The description types bytes as text.
      body: message as string,
      bodySerializer: () => message,
      ...(signal ? { signal } : {}),
    }),
  );
  // The request accepts JSON, so the answer is not the bare acknowledgement.
  return answer as RawAnswer;
}
