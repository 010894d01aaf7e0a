import { SortedRuns } from '../compare/sorted-runs.js';

/** A document's place in a sort: its sort key, and its rid to fetch it again. Documents themselves are not held. */
export interface SortEntry {
  readonly key: Buffer;
  readonly rid: number;
  /** Order of arrival: equal keys keep it. */
  readonly arrival: number;
}

/** Keys held at once; beyond it the query is refused rather than the process exhausted (MongoDB's limit is 100 MB too). */
export const maxSortBytes = 100 * 1024 * 1024;
const entryOverheadBytes = 48;

/** Collects the sort keys of documents and gives their rids in order; with a limit only the first `limit` are kept. */
export class Sorter {
  private readonly runs: SortedRuns<SortEntry>;
  private arrivals = 0;
  private heldBytes = 0;

  constructor(limit: number | undefined, compareKeys: (a: Buffer, b: Buffer) => number) {
    this.runs = new SortedRuns((a, b) => compareKeys(a.key, b.key) || a.arrival - b.arrival, limit);
  }

  /** Gives false when the memory bound is passed. */
  add(key: Buffer, rid: number): boolean {
    const pushedOut = this.runs.add({ key, rid, arrival: this.arrivals++ });
    this.heldBytes += key.length + entryOverheadBytes;
    if (pushedOut) this.heldBytes -= pushedOut.key.length + entryOverheadBytes;
    return this.heldBytes <= maxSortBytes;
  }

  /** Call until it says true; then `next` gives the entries. */
  settle(): boolean {
    return this.runs.settle();
  }

  next(): SortEntry | undefined {
    return this.runs.next();
  }
}
