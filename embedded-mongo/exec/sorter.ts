import { Heap } from './heap.js';

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
/** Entries sorted in one go: some milliseconds. */
const runEntries = 2_048;

/** A sorted stretch that is being merged. */
interface Run {
  readonly entries: readonly SortEntry[];
  at: number;
}

/**
 * Collects sort entries and gives them out in order. With a limit only the best `limit` are kept, in a heap whose top
 * is the worst of them. Nothing here takes long at once: runs are sorted as they fill and merged as they are read.
 */
export class Sorter {
  private runs: Run[] = [];
  private filling: SortEntry[] = [];
  private readonly best: Heap<SortEntry> | undefined;
  private readonly compare: (a: SortEntry, b: SortEntry) => number;
  private readonly merging: Heap<Run>;
  private arrivals = 0;
  private heldBytes = 0;

  constructor(
    private readonly limit: number | undefined,
    compareKeys: (a: Buffer, b: Buffer) => number = Buffer.compare,
  ) {
    const compare = (a: SortEntry, b: SortEntry): number => compareKeys(a.key, b.key) || a.arrival - b.arrival;
    this.compare = compare;
    this.merging = new Heap<Run>((a, b) => compare(head(a), head(b)));
    if (limit !== undefined) this.best = new Heap<SortEntry>((a, b) => compare(b, a));
  }

  /** Gives false when the memory bound is passed. */
  add(key: Buffer, rid: number): boolean {
    const entry = { key, rid, arrival: this.arrivals++ };
    if (this.best) this.offer(this.best, entry);
    else {
      this.heldBytes += key.length + entryOverheadBytes;
      this.fill(entry);
    }
    return this.heldBytes <= maxSortBytes;
  }

  /** Call until it says true; then `next` gives the entries. */
  settle(): boolean {
    if (this.best && this.best.size > 0) {
      for (let n = 0; n < runEntries && this.best.size > 0; n++) this.fill(this.best.pop() as SortEntry);
      return false;
    }
    if (this.filling.length > 0) this.endRun();
    for (const run of this.runs) this.merging.push(run);
    this.runs = [];
    return true;
  }

  next(): SortEntry | undefined {
    const run = this.merging.top;
    if (!run) return undefined;
    const entry = head(run);
    run.at += 1;
    if (run.at < run.entries.length) this.merging.sinkTop();
    else this.merging.pop();
    return entry;
  }

  private offer(best: Heap<SortEntry>, entry: SortEntry): void {
    if (best.size < (this.limit ?? 0)) {
      best.push(entry);
      this.heldBytes += entry.key.length + entryOverheadBytes;
      return;
    }
    const worst = best.top;
    if (!worst || this.compare(entry, worst) >= 0) return;
    this.heldBytes += entry.key.length - worst.key.length;
    best.replaceTop(entry);
  }

  private fill(entry: SortEntry): void {
    this.filling.push(entry);
    if (this.filling.length === runEntries) this.endRun();
  }

  private endRun(): void {
    this.runs.push({ entries: this.filling.sort(this.compare), at: 0 });
    this.filling = [];
  }
}

function head(run: Run): SortEntry {
  return run.entries[run.at] as SortEntry;
}
