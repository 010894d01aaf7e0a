import type { Collection } from 'mongodb';
import { DURABLE } from '../db/connection-options.js';
import { duplicateKeyOf, duplicatesAmong } from '../db/duplicate-key.js';
import { keysetQuery, type ListWindow } from '../db/keyset.js';
import { shortText } from '../json/short-text.js';
import type { Effect } from '../outbox/pending-effect.js';
import { type Page, pageOf } from '../pagination/cursor.js';
import { type RecordDocument, timeOf } from './record-document.js';

// How a RecordStore reads and writes its collection.

/** @returns the documents that were inserted; the others met a unique key that is taken. */
export async function insertDocuments(
  collection: Collection<RecordDocument>,
  documents: readonly RecordDocument[],
): Promise<ReadonlySet<RecordDocument>> {
  if (documents.length === 0) return new Set();
  try {
    await collection.insertMany([...documents], { ordered: false, writeConcern: DURABLE });
    return new Set(documents);
  } catch (error) {
    const taken = duplicatesAmong(error);
    if (taken === null) throw error;
    return new Set(documents.filter((_, i) => !taken.has(i)));
  }
}

interface Replacement {
  readonly set: object;
  /** Members that the step removes. */
  readonly removed: readonly string[];
  readonly line: object;
  readonly pending: readonly Effect[];
  /** Lines of history that stay; undefined for all. */
  readonly keptLines: number | undefined;
}

/** @returns the document after the step; `moved` where none meets the filter, `taken` where a unique key is taken. */
export async function replaceDocument(
  collection: Collection<RecordDocument>,
  filter: object,
  { set, removed, line, pending, keptLines }: Replacement,
): Promise<RecordDocument | 'moved' | 'taken'> {
  const kept = keptLines === undefined ? {} : { $slice: -keptLines };
  try {
    const changed = await collection.findOneAndUpdate(
      filter,
      {
        $set: set,
        ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map((name) => [name, true])) } : {}),
        $push: { history: { $each: [line], ...kept }, pending: { $each: [...pending] } },
      },
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed ?? 'moved';
  } catch (error) {
    if (duplicateKeyOf(error)) return 'taken';
    throw error;
  }
}

/** One page of the documents that meet all filters, in the order of the time `listedBy`. */
export async function pageOfDocuments(
  collection: Collection<RecordDocument>,
  filters: readonly object[],
  query: ListWindow,
  listedBy: string,
): Promise<Page<RecordDocument>> {
  const window = keysetQuery(listedBy, query);
  const found = await collection
    .find({ $and: [...filters, window.filter] })
    .sort(window.sort)
    .limit(window.fetch)
    .batchSize(window.fetch)
    .toArray();
  return pageOf(found, query.limit, (row) => ({ atMs: timeOf(row, listedBy), id: shortText(row._id) }));
}
