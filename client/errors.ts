import type { components } from './schema.js';

/** The service's error object (RFC 9457 with a code). */
export type Problem = components['schemas']['Error'];
export type ErrorCode = Problem['code'];
export type FieldFault = components['schemas']['FieldFault'];

/** The service's Error object, thrown. `code` is what to decide by. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string;
  readonly faults: readonly FieldFault[];
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfterSeconds: number | undefined;
  /** The parsed body. For a message of which nothing is readable (422) it is the whole report. */
  readonly body: unknown;

  constructor(body: Partial<Problem>, response: Response) {
    super(body.message ?? firstFaultOf(body) ?? (response.statusText || `The answer has status ${response.status}.`));
    this.body = body;
    this.code = body.code ?? codeOf(response.status);
    this.status = response.status;
    this.requestId = body.request_id ?? response.headers.get('x-request-id') ?? '';
    this.faults = Array.isArray(body.errors) ? body.errors : [];
    this.retryAfterSeconds = secondsOf(response.headers.get('retry-after'));
  }
}

/** True for an error of the service, with one of the codes if any are named. */
export const isApiError = (error: unknown, ...codes: readonly ErrorCode[]): error is ApiError =>
  error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));

interface Outcome<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the data of an answer. @throws ApiError for every status of failure */
export async function unwrap<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await outcome;
  // openapi-fetch sets `data` on every answer without an error.
  if (response.ok && error === undefined) return data as T;
  throw apiErrorOf(error, response);
}

/** @param error the parsed body of the answer, or its text. */
export const apiErrorOf = (error: unknown, response: Response): ApiError =>
  new ApiError(
    isProblem(error) ? error : typeof error === 'string' && error !== '' ? { message: error } : {},
    response,
  );

const isProblem = (body: unknown): body is Partial<Problem> => typeof body === 'object' && body !== null;

/** Returns the first fault that the report of a raw message names. */
function firstFaultOf(report: Readonly<Record<string, unknown>>): string | undefined {
  const results: unknown = report['results'];
  const fault = Array.isArray(results) ? results.find((it) => isProblem(it?.error))?.error : undefined;
  return fault === undefined ? undefined : `${fault.code}: ${fault.message}`;
}

/** The code of a report, or of an answer that a proxy on the way made. */
function codeOf(status: number): ErrorCode {
  if (status === 422) return 'VALIDATION_ERROR';
  if (status === 429) return 'RATE_LIMITED';
  return status === 502 || status === 503 || status === 504 ? 'UNAVAILABLE' : 'INTERNAL';
}

const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
