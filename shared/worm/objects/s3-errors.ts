import { problem } from '../../errors/problem.js';

const RETRY_AFTER_SECONDS = 2;

/** Names of errors by which a bucket says that there is no such object, or no byte of it in the range. */
const ABSENT: readonly string[] = ['NoSuchKey', 'NoSuchVersion', 'NotFound', 'InvalidRange'];

/** Names of errors by which a bucket rejects the credentials; a new client reads them again. */
const REJECTED_CREDENTIALS: readonly string[] = ['ExpiredToken', 'ExpiredTokenException', 'InvalidAccessKeyId'];

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

const seen = (error: unknown): ErrorLike => (typeof error === 'object' && error !== null ? error : {});

/** The name of an error; a bucket's own text may repeat the request and is not used. */
export const nameOf = (error: unknown): string => String(seen(error).name ?? 'unknown error');

const statusOf = (error: unknown): unknown => seen(error).$metadata?.httpStatusCode;

/** True if the object does not exist. A missing bucket is another fault. */
export const isAbsent = (error: unknown): boolean => ABSENT.includes(nameOf(error));

export const isTaken = (error: unknown): boolean => nameOf(error) === 'PreconditionFailed' || statusOf(error) === 412;

export const isDenied = (error: unknown): boolean => statusOf(error) === 403 && nameOf(error) === 'AccessDenied';

export const isRejectedCredential = (error: unknown): boolean => REJECTED_CREDENTIALS.includes(nameOf(error));

/** The error of a request that the bucket did not serve. */
export function bucketUnavailable(error: unknown): Error {
  const { code } = seen(error);
  const why = [nameOf(error), statusOf(error), code].filter((part) => part !== undefined).join(' ');
  return problem('UNAVAILABLE', {
    internal: `the write-once bucket does not answer (${why})`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
