import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { DURABLE } from '../../../../shared/db/connection-options.js';
import { duplicateKeyOf } from '../../../../shared/db/duplicate-key.js';

/** Inserts the documents that are new; existing ones are equal and stay. Durable when it resolves. @returns the number of new ones. */
export async function insertNew<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<number> {
  if (documents.length === 0) return 0;
  try {
    return (await collection.insertMany(documents, { ordered: false, writeConcern: DURABLE })).insertedCount;
  } catch (error) {
    // Undefined also for a failed write concern, after which nothing is durable.
    if (!duplicateKeyOf(error)) throw error;
    return error instanceof MongoBulkWriteError ? error.insertedCount : 0;
  }
}
