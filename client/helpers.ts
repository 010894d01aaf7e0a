import { type ApiClient, ApiError, unwrap } from './client.js';
import type { operations } from './schema.js';

type RawAnswer = operations['ingestRaw']['responses'][200]['content']['application/json'];

export interface RawMessageOptions {
  readonly sourceSystem?: string;
  /** By default the service detects it from the first bytes. */
  readonly format?: 'x12' | 'hl7v2' | 'fhir' | 'ncpdp';
  /** A ULID or UUID: the same request again gets the first answer. */
  readonly idempotencyKey?: string;
}

/** Sends a message as it is: text or bytes, never as JSON. @throws ApiError */
export async function ingestRaw(
  client: ApiClient,
  message: string | Uint8Array<ArrayBuffer> | Blob,
  { sourceSystem, format, idempotencyKey }: RawMessageOptions = {},
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
    }),
  );
  // The request accepts JSON, so the answer is not the bare acknowledgement.
  return answer as RawAnswer;
}

/** Opens the sealed ZIP of a bundle as a stream of bytes. @throws ApiError, NOT_SEALED until it is sealed */
export async function downloadBundle(client: ApiClient, bundleId: string): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await client.GET('/v1/bundles/{id}/download', {
    params: { path: { id: bundleId } },
    parseAs: 'stream',
  });
  if (response.ok && data) return data;
  throw new ApiError(typeof error === 'object' ? { ...error } : { message: String(error) }, response);
}
