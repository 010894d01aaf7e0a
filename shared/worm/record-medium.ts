import type { RecordDocument } from './record-document.js';
import type { WormRecord } from './worm-store.js';

/**
 * Where the records of segments lie: capped collections or files. What stands in a segment and how much room it has is the
 * directory's matter (segment-directory.ts); a medium keeps bytes under the names it is told.
 */
export interface RecordMedium {
  /** Durable when it resolves; a record that the segment holds already counts once. */
  insert(segment: string, records: readonly WormRecord[]): Promise<void>;
  /** Those of these records that the segment holds, unjudged. */
  find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]>;
  /** The same without their bytes. */
  present(segment: string, sha256s: readonly string[]): Promise<readonly string[]>;
  /** The first `limit` records after that hash, in the order of their hashes, unjudged. */
  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]>;
  /** The first `limit` hashes after that one, in order. */
  names(segment: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** All hashes, in the order in which they lie there. */
  inOrder(segment: string): AsyncIterable<string>;
  /** Takes a segment away with all that is in it; one that is gone already is no error. */
  drop(segment: string): Promise<void>;
}
