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
  next(): boolean;
  suspend(): void;
}
