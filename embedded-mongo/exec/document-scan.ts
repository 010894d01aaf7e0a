/**
 * Walks documents in the order of a collection or an index. A scan holds no lmdb reader across event turns: `suspend`
 * closes what is open, and the next `next` goes on after the last key, whatever was written meanwhile.
 */
export interface DocumentScan {
  /** Of the document `next` moved to. */
  readonly rid: number;
  /** Its bytes, valid only until the next read from the store. */
  readonly raw: Buffer;
  readonly keysExamined: number;
  readonly docsExamined: number;
  /**
   * It stands on a document that it gave out before, after a long run of such: there is nothing to read, and whoever moves
   * it looks at the clock.
   */
  readonly repeated: boolean;
  next(): boolean;
  suspend(): void;
}

/** Entries of documents given out before that a scan passes by itself, in a row. */
export const maxRepeats = 256;
