import type { CompletedPart, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../clock/clock.js';
import type { WormBucket } from '../../config/worm-bucket.js';
import type { Bucket, LargeUpload } from './bucket.js';
import { bucketUnavailable, isAbsent, isDenied, isRejectedCredential, isTaken } from './s3-errors.js';

/** The SDK; loaded only for this driver, because it takes a part of the start. */
export type S3Sdk = typeof import('@aws-sdk/client-s3');

/** Limits of one request, in milliseconds. */
interface BucketTimes {
  readonly connectMs: number;
  /** From the last byte of the request to the first of the answer, and between bytes. */
  readonly answerMs: number;
  /** With all attempts. */
  readonly wholeMs: number;
}

const TIMES: BucketTimes = { connectMs: 3_000, answerMs: 15_000, wholeMs: 60_000 };
const ATTEMPTS = 3;
const DAY_MS = 24 * 3_600_000;
/** Most objects of one request that deletes. */
const CONCEALED_AT_ONCE = 1000;

export const loadS3 = (): Promise<S3Sdk> => import('@aws-sdk/client-s3');

/** Makes a client; credentials come from the SDK's own chain of providers. */
export function s3Client({ S3Client: Client }: S3Sdk, settings: WormBucket, times: BucketTimes = TIMES): S3Client {
  return new Client({
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.region === null ? {} : { region: settings.region }),
    forcePathStyle: settings.pathStyle,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: times.connectMs,
      requestTimeout: times.answerMs,
      socketTimeout: times.answerMs,
      throwOnRequestTimeout: true,
    },
  });
}

/** A bucket of S3 or of a compatible store. */
export class S3Bucket implements Bucket {
  readonly #sdk: S3Sdk;
  readonly #settings: WormBucket;
  readonly #clock: Clock;
  readonly #times: BucketTimes;
  #client: S3Client;

  constructor(sdk: S3Sdk, settings: WormBucket, clock: Clock, times: BucketTimes = TIMES) {
    this.#sdk = sdk;
    this.#settings = settings;
    this.#clock = clock;
    this.#times = times;
    this.#client = s3Client(sdk, settings, times);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const command = new this.#sdk.PutObjectCommand(this.#lockedPut(name, bytes));
    await this.#ask((client, options) => client.send(command, options));
  }

  async putNew(name: string, bytes: Uint8Array): Promise<boolean> {
    const command = new this.#sdk.PutObjectCommand({ ...this.#lockedPut(name, bytes), IfNoneMatch: '*' });
    return (await this.#askUnless(isTaken, (client, options) => client.send(command, options))) !== null;
  }

  async begin(name: string): Promise<LargeUpload> {
    const {
      CreateMultipartUploadCommand,
      UploadPartCommand,
      CompleteMultipartUploadCommand,
      AbortMultipartUploadCommand,
    } = this.#sdk;
    const create = new CreateMultipartUploadCommand({
      ...this.#at(name),
      ...this.#lock(),
      ChecksumAlgorithm: 'SHA256',
    });
    const { UploadId } = await this.#ask((client, options) => client.send(create, options));
    const upload = { ...this.#at(name), UploadId };
    const parts: CompletedPart[] = [];
    return {
      part: async (PartNumber, Body) => {
        const command = new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumAlgorithm: 'SHA256' });
        const { ETag, ChecksumSHA256 } = await this.#ask((client, options) => client.send(command, options));
        parts[PartNumber - 1] = { PartNumber, ETag, ChecksumSHA256 };
      },
      complete: async () => {
        const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } });
        await this.#ask((client, options) => client.send(command, options));
      },
      abort: async () => {
        const command = new AbortMultipartUploadCommand(upload);
        await this.#ask((client, options) => client.send(command, options));
      },
    };
  }

  async read(name: string, start: number, length: number): Promise<Buffer | null> {
    if (length === 0) return Buffer.alloc(0);
    const command = new this.#sdk.GetObjectCommand({
      ...this.#at(name),
      Range: `bytes=${start}-${start + length - 1}`,
    });
    return this.#askUnless(isAbsent, async (client, options) => {
      const { Body } = await client.send(command, options);
      if (Body === undefined) throw new Error('an answer without a body');
      const bytes = await Body.transformToByteArray();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    });
  }

  async exists(name: string): Promise<boolean> {
    const command = new this.#sdk.HeadObjectCommand(this.#at(name));
    return (await this.#askUnless(isAbsent, (client, options) => client.send(command, options))) !== null;
  }

  async *names(start: string): AsyncGenerator<string> {
    const { bucket: Bucket, prefix } = this.#settings;
    let ContinuationToken: string | undefined;
    do {
      const command = new this.#sdk.ListObjectsV2Command({
        Bucket,
        Prefix: prefix + start,
        ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
      });
      const page = await this.#ask((client, options) => client.send(command, options));
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(prefix.length);
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  async conceal(names: readonly string[]): Promise<void> {
    const { bucket: Bucket, prefix } = this.#settings;
    for (let from = 0; from < names.length; from += CONCEALED_AT_ONCE) {
      const Objects = names.slice(from, from + CONCEALED_AT_ONCE).map((name) => ({ Key: prefix + name }));
      const command = new this.#sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await this.#ask((client, options) => client.send(command, options));
      const [fault] = Errors;
      if (fault !== undefined) throw bucketUnavailable({ name: fault.Code });
    }
  }

  async lengthen(name: string): Promise<boolean> {
    const { ObjectLockMode: Mode, ObjectLockRetainUntilDate: RetainUntilDate } = this.#lock();
    const command = new this.#sdk.PutObjectRetentionCommand({
      ...this.#at(name),
      Retention: { Mode, RetainUntilDate },
    });
    // A bucket rejects a shorter lock as it rejects a missing right, so the present lock decides which it is.
    const isLonger = async (): Promise<boolean> => {
      const head = new this.#sdk.HeadObjectCommand(this.#at(name));
      const found = await this.#askUnless(isAbsent, (client, options) => client.send(head, options));
      return (found?.ObjectLockRetainUntilDate?.getTime() ?? 0) >= (RetainUntilDate?.getTime() ?? 0);
    };
    return this.#ask(async (client, options) => {
      try {
        await client.send(command, options);
        return true;
      } catch (error) {
        if (isAbsent(error) || (isDenied(error) && (await isLonger()))) return false;
        throw error;
      }
    });
  }

  async version(name: string): Promise<string | null> {
    const command = new this.#sdk.HeadObjectCommand(this.#at(name));
    const found = await this.#askUnless(isAbsent, (client, options) => client.send(command, options));
    if (found === null) return null;
    if (found.VersionId === undefined) throw bucketUnavailable({ name: 'NoVersions' });
    return found.VersionId;
  }

  async hold(name: string, VersionId: string, on: boolean): Promise<boolean> {
    const command = new this.#sdk.PutObjectLegalHoldCommand({
      ...this.#at(name),
      VersionId,
      LegalHold: { Status: on ? 'ON' : 'OFF' },
    });
    return (await this.#askUnless(isAbsent, (client, options) => client.send(command, options))) !== null;
  }

  close(): void {
    this.#client.destroy();
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#settings.bucket, Key: this.#settings.prefix + name };
  }

  #lock(): Pick<PutObjectCommandInput, 'ObjectLockMode' | 'ObjectLockRetainUntilDate'> {
    const until = new Date(this.#clock.nowMs() + this.#settings.retainDays * DAY_MS);
    return { ObjectLockMode: this.#settings.mode, ObjectLockRetainUntilDate: until };
  }

  #lockedPut(name: string, Body: Uint8Array): PutObjectCommandInput {
    return { ...this.#at(name), ...this.#lock(), Body, ChecksumAlgorithm: 'SHA256' };
  }

  async #ask<T>(send: (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await send(this.#client, { abortSignal: AbortSignal.timeout(this.#times.wholeMs) });
    } catch (error) {
      if (isRejectedCredential(error)) this.#renew();
      throw bucketUnavailable(error);
    }
  }

  /** @returns null if the error is an expected one */
  async #askUnless<T>(
    isExpected: (error: unknown) => boolean,
    send: (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T | null> {
    return this.#ask((client, options) =>
      send(client, options).catch((error: unknown) => {
        if (isExpected(error)) return null;
        throw error;
      }),
    );
  }

  /** A client keeps what its chain of providers found; a new one looks again. Running requests of the old one end. */
  #renew(): void {
    this.#client = s3Client(this.#sdk, this.#settings, this.#times);
  }
}
