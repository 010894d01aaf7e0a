import type { WormRecord } from '../worm-store.js';
import type { RecordDocument } from './document.js';

/**
 * Storage for the records of segments: capped collections or files. The directory (segments/directory.ts) decides the
 * segment and its free space; a medium stores bytes under the given names.
 */
export interface RecordMedium {
  /** Inserts records, durable when it resolves; a record that the segment already holds is stored once. */
  insert(segment: string, records: readonly WormRecord[]): Promise<void>;
  /** Returns the records that the segment holds, without verification. */
  find(segment: string, sha256s: readonly string[]): Promise<readonly RecordDocument[]>;
  /** Returns the hashes that the segment holds. */
  present(segment: string, sha256s: readonly string[]): Promise<readonly string[]>;
  /** Returns the first `limit` records after that hash, in hash order, without verification. */
  records(segment: string, after: string | null, limit: number): Promise<readonly RecordDocument[]>;
  /** Returns the first `limit` hashes after that one, in order. */
  names(segment: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** Lists all hashes in storage order. */
  inOrder(segment: string): AsyncIterable<string>;
  /** Deletes a segment with its content; a missing segment is not an error. */
  drop(segment: string): Promise<void>;
}
