import type { BsonValue } from '../bson/value.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { okDouble } from './ok-reply.js';

/** A failed statement inside a command that as a whole is fine. */
export interface WriteError {
  readonly index: number;
  readonly error: MongoError;
}

export function writeErrorDoc({ index, error }: WriteError): BsonDoc {
  const doc = BsonDoc.of({ index, code: error.code });
  for (const [name, value] of BsonDoc.of({ ...error.extra })) doc.append(name, value);
  return doc.append('errmsg', error.message);
}

/** The reply of insert, update and delete: counts first, then what failed. */
export function writeReply(
  counts: Record<string, unknown>,
  errors: readonly WriteError[],
  upserted: readonly BsonValue[] = [],
): BsonDoc {
  const reply = BsonDoc.of(counts);
  if (upserted.length > 0) reply.append('upserted', [...upserted]);
  if (errors.length > 0) reply.append('writeErrors', errors.map(writeErrorDoc));
  return reply.append('ok', okDouble);
}

/** What a statement threw, when it is the client's to know; anything else aborts the whole group. */
export function statementError(error: unknown): MongoError {
  if (error instanceof MongoError) return error;
  throw error;
}
