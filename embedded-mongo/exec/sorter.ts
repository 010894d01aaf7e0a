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

/**
 * Collects sort entries. With a limit only the best `limit` are kept, in a heap whose top is the worst of them.
 */
export class Sorter {
  private readonly entries: SortEntry[] = [];
  private arrivals = 0;
  private heldBytes = 0;

  constructor(private readonly limit: number | undefined) {}

  /** Gives false when the memory bound is passed. */
  add(key: Buffer, rid: number): boolean {
    const entry = { key, rid, arrival: this.arrivals++ };
    if (this.limit === undefined || this.entries.length < this.limit) {
      this.entries.push(entry);
      this.heldBytes += key.length + entryOverheadBytes;
      if (this.limit !== undefined) this.rise(this.entries.length - 1);
    } else {
      const worst = this.entries[0];
      if (worst && compare(entry, worst) < 0) {
        this.heldBytes += key.length - worst.key.length;
        this.entries[0] = entry;
        this.sink();
      }
    }
    return this.heldBytes <= maxSortBytes;
  }

  finish(): SortEntry[] {
    return this.entries.sort(compare);
  }

  private rise(from: number): void {
    const { entries } = this;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compare(entries[at] as SortEntry, entries[parent] as SortEntry) <= 0) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(): void {
    const { entries } = this;
    let at = 0;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < entries.length && compare(entries[child] as SortEntry, entries[worst] as SortEntry) > 0)
          worst = child;
      }
      if (worst === at) return;
      this.swap(at, worst);
      at = worst;
    }
  }

  private swap(a: number, b: number): void {
    const { entries } = this;
    const held = entries[a] as SortEntry;
    entries[a] = entries[b] as SortEntry;
    entries[b] = held;
  }
}

function compare(a: SortEntry, b: SortEntry): number {
  return Buffer.compare(a.key, b.key) || a.arrival - b.arrival;
}
