import {
  type Collection,
  type Document,
  MongoAPIError,
  MongoError,
  MongoServerSelectionError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { DURABLE } from './connection-options.js';
import { type DuplicateKey, duplicateKeyOf, hasWriteConcernError } from './duplicate-key.js';

/**
 * Codes of a server that stops in the middle of a command or does not know whether a majority has a write (MongoDB
 * manual, "Error Codes").
 */
const INTERRUPTED_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernFailed
  89, // NetworkTimeout
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10058, // LegacyNotPrimary
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/**
 * True when a failed write may be stored all the same, now or later: the connection broke, the server stayed silent or
 * stopped being primary, or a majority did not confirm the write in time. False when the server rejected the write or
 * when it was never sent.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof MongoError) || error instanceof MongoAPIError || wasNeverSent(error)) return false;
  if (duplicateKeyOf(error)) return false;
  // Errors that the driver raises by itself have no code; those that remain concern the connection.
  return error.code === undefined || INTERRUPTED_CODES.has(error.code) || hasWriteConcernError(error);
}

/** A batch wraps the error of a server selection and takes over its `reason`. */
const wasNeverSent = (error: MongoError): boolean => error instanceof MongoServerSelectionError || 'reason' in error;

/** Outcome of an insert in order. The documents before the first duplicate are durable. */
interface InsertOutcome {
  readonly written: number;
  readonly duplicate: DuplicateKey | null;
  /** The error after which any of the documents may be stored, now or later; null when the outcome is known. */
  readonly unknown: MongoError | null;
}

/**
 * Inserts documents in order, durably, up to the first duplicate.
 *
 * @throws errors after which none of the documents is stored.
 */
export async function insertInOrder<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<InsertOutcome> {
  try {
    await collection.insertMany(documents, { ordered: true, writeConcern: DURABLE, forceServerObjectId: true });
    return { written: documents.length, duplicate: null, unknown: null };
  } catch (error) {
    const duplicate = duplicateKeyOf(error);
    if (duplicate?.documentIndex != null) return { written: duplicate.documentIndex, duplicate, unknown: null };
    if (error instanceof MongoError && isOutcomeUnknown(error)) return { written: 0, duplicate: null, unknown: error };
    throw error;
  }
}
