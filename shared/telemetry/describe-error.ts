import { Problem } from '../errors/problem.js';

interface ErrorDescription {
  readonly error_name: string;
  readonly error_code?: string | number;
  /** Our own internal text, or the engine's where it cannot hold data. */
  readonly internal?: string;
  readonly frames?: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Engine errors that speak of the program and not of its data; a driver's or a parser's message repeats values. */
const SAFE_MESSAGES = new Set(['TypeError', 'ReferenceError', 'AssertionError']);
const MAX_FRAMES = 8;
const MAX_CAUSES = 3;

/**
 * Returns what may be logged of an error: its class, its code, its origin, and our own texts. Never logs a message that
 * may repeat sent or stored data (E11000 prints the duplicate key, JSON.parse the text).
 */
export function describeUnexpected(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { error_name: typeof error };
  const code = 'code' in error ? error.code : undefined;
  const internal = internalTextOf(error);
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
  return {
    error_name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { error_code: code } : {}),
    ...(internal === undefined ? {} : { internal }),
    ...(frames ? { frames } : {}),
    ...(error.cause instanceof Error && depth < MAX_CAUSES
      ? { cause: describeUnexpected(error.cause, depth + 1) }
      : {}),
  };
}

function internalTextOf(error: Error): string | undefined {
  if (error instanceof Problem) return error.details.internal;
  return SAFE_MESSAGES.has(error.name) ? error.message : undefined;
}
