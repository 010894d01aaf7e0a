import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { ApiClient } from './client.js';
import { apiErrorOf } from './errors.js';
import { wait } from './runtime.js';

export interface DownloadOptions {
  /** How often a cut download continues where it ended. Default 5. */
  readonly maxResumes?: number;
  /** The wait before it continues. Default 500. */
  readonly resumeAfterMs?: number;
  readonly signal?: AbortSignal;
}

export interface SavedBundle {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** The bytes of a bundle are not those that the service sealed. */
export class BundleBytesError extends Error {
  override readonly name = 'BundleBytesError';
}

const DEFAULT_MAX_RESUMES = 5;
const DEFAULT_RESUME_AFTER_MS = 500;

/**
 * Opens the sealed ZIP of a bundle as a stream of bytes. A cut is mended by a request for the rest. The stream ends with a
 * BundleBytesError if the bytes have another SHA-256 than the service names.
 *
 * @throws ApiError, NOT_SEALED until the bundle is sealed
 */
export async function downloadBundle(
  client: ApiClient,
  bundleId: string,
  options: DownloadOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const chunks = checkedChunks(await openPart(client, bundleId, 0, options), { client, bundleId, options });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/**
 * Downloads the sealed ZIP into a file. The bytes go to `<path>.part`, which gets its name when its SHA-256 is right; a
 * later call continues the `.part` file of an earlier one.
 *
 * @throws ApiError, BundleBytesError; the latter deletes the `.part`
 */
export async function saveBundle(
  client: ApiClient,
  bundleId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<SavedBundle> {
  const partPath = `${path}.part`;
  const already = await hashedFile(partPath);
  const first = await openRest(client, bundleId, already, options);
  const hashed = first.startBytes === 0 ? nothingYet() : already;
  const file = await open(partPath, first.startBytes === 0 ? 'w' : 'a', 0o600);
  try {
    for await (const chunk of checkedChunks(first, { client, bundleId, options, hashed })) await file.write(chunk);
    await file.sync();
  } catch (error) {
    if (error instanceof BundleBytesError) await rm(partPath, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(partPath, path);
  return { path, sha256: first.sha256, sizeBytes: hashed.sizeBytes };
}

/** One answer: the bytes from `startBytes` on, and the hash of the whole. */
interface Part {
  readonly startBytes: number;
  readonly sha256: string;
  readonly body: ReadableStream<Uint8Array> | null;
}

interface Hashed {
  readonly hash: Hash;
  sizeBytes: number;
}

interface Download {
  readonly client: ApiClient;
  readonly bundleId: string;
  readonly options: DownloadOptions;
  readonly hashed?: Hashed;
}

const nothingYet = (): Hashed => ({ hash: createHash('sha256'), sizeBytes: 0 });

/** Yields the bytes of the first part and, after each cut, of the parts that follow it. */
async function* checkedChunks(first: Part, download: Download): AsyncGenerator<Uint8Array, void, undefined> {
  const { client, bundleId, options, hashed = nothingYet() } = download;
  const { maxResumes = DEFAULT_MAX_RESUMES, resumeAfterMs = DEFAULT_RESUME_AFTER_MS, signal } = options;
  let part = first;
  for (let resumes = 0; ; resumes += 1) {
    try {
      for await (const chunk of part.body ?? []) {
        hashed.hash.update(chunk);
        hashed.sizeBytes += chunk.length;
        yield chunk;
      }
      break;
    } catch (cause) {
      signal?.throwIfAborted();
      // Cut behind the last byte: there is no rest to ask for.
      if (hashed.hash.copy().digest('hex') === first.sha256) break;
      if (resumes >= maxResumes) throw cause;
    }
    await wait(resumeAfterMs, signal);
    part = await openPart(client, bundleId, hashed.sizeBytes, options);
    if (part.sha256 !== first.sha256 || part.startBytes !== hashed.sizeBytes) {
      throw new BundleBytesError(`The bundle ${bundleId} has changed during its download.`);
    }
  }
  const sha256 = hashed.hash.digest('hex');
  if (sha256 !== first.sha256) throw new BundleBytesError(`The bytes of ${bundleId} have the SHA-256 ${sha256}.`);
}

/** Opens what follows the bytes of an earlier call, or everything where nothing follows them. */
async function openRest(client: ApiClient, bundleId: string, already: Hashed, options: DownloadOptions): Promise<Part> {
  try {
    return await openPart(client, bundleId, already.sizeBytes, options);
  } catch (error) {
    // The earlier call had all bytes, or more than there are: the hash of a whole download decides.
    if (!isRangeError(error) || already.sizeBytes === 0) throw error;
    return openPart(client, bundleId, 0, options);
  }
}

const isRangeError = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 416;

async function openPart(
  client: ApiClient,
  bundleId: string,
  startBytes: number,
  { signal }: DownloadOptions,
): Promise<Part> {
  const { data, error, response } = await client.GET('/v1/bundles/{id}/download', {
    params: { path: { id: bundleId }, header: startBytes === 0 ? {} : { Range: `bytes=${startBytes}-` } },
    parseAs: 'stream',
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw apiErrorOf(error, response);
  const sha256 = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '')?.[1];
  if (sha256 === undefined) throw new BundleBytesError(`The answer for ${bundleId} names no SHA-256.`);
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  return { startBytes: response.status === 206 ? Number(start) : 0, sha256, body: data ?? null };
}

/** Hashes what an earlier call has left; nothing where there is no such file. */
async function hashedFile(path: string): Promise<Hashed> {
  const hashed = nothingYet();
  if ((await stat(path).catch(() => null)) === null) return hashed;
  for await (const chunk of createReadStream(path)) {
    hashed.hash.update(chunk);
    hashed.sizeBytes += chunk.length;
  }
  return hashed;
}
