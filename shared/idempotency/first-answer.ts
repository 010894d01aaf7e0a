import type { ErrorCode } from '../errors/registry.js';

/** An answer as it went out the first time. */
export interface FirstAnswer {
  readonly status: number;
  /** Of an error answer. */
  readonly code: ErrorCode | null;
  /** The headers that belong to the answer and not to the exchange: content-type, location, etag, deprecation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const NEVER_KEPT: ReadonlySet<number> = new Set([401, 403, 429]);

/** Answers that a repeat shall see again; all others free the key, because asking again may go otherwise. */
export const isKept = ({ status, code }: FirstAnswer): boolean =>
  status < 500 && !NEVER_KEPT.has(status) && code !== 'IDEMPOTENCY_IN_PROGRESS';
