import { ERROR_REGISTRY, type ErrorCode } from './registry.js';

/** One fault in a request; `path` is a JSON Pointer to the faulty value. */
export interface FieldFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** The known name that is nearest to an unknown one. */
  readonly did_you_mean?: string;
  /** Place of a fault in the text of a JSON body, counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

export interface ProblemDetails {
  /** Public text: goes to the client, so nothing personal or internal. */
  readonly message?: string;
  readonly errors?: readonly FieldFault[];
  /** Internal text and cause: logged, never sent. */
  readonly internal?: string;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** Headers of the answer, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further public members of the answer (a batch's `results`, for example). */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The only error class that reaches a client; everything else is masked as INTERNAL. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly details: ProblemDetails;

  constructor(code: ErrorCode, details: ProblemDetails = {}) {
    const entry = ERROR_REGISTRY[code];
    super(details.message ?? entry.publicText, { cause: details.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = entry.status;
    this.title = entry.title;
    this.details = details;
  }
}

export const problem = (code: ErrorCode, details: ProblemDetails = {}): Problem => new Problem(code, details);

/** Checks an error for a code. */
export const isProblem = (error: unknown, code: ErrorCode): boolean => error instanceof Problem && error.code === code;

export const fault = (path: string, code: string, message: string): FieldFault => ({ path, code, message });

/** The fault of an unknown name, with the known name that is nearest to it. */
export const unknownName = (
  path: string,
  { code, noun, nearest }: { readonly code: string; readonly noun: string; readonly nearest: string | undefined },
): FieldFault =>
  nearest === undefined
    ? fault(path, code, `Unknown ${noun}.`)
    : { ...fault(path, code, `Unknown ${noun}. Did you mean ${nearest}?`), did_you_mean: nearest };
