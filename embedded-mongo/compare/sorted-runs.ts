import { Heap } from './heap.js';

/** Items sorted in one go: some milliseconds. */
const runItems = 2_048;

/** A sorted stretch that is being merged. */
interface Run<T> {
  readonly items: readonly T[];
  at: number;
}

/**
 * Collects items and gives them out in order; `order` must tell any two apart. With a limit only the first `limit`
 * are kept, in a heap whose top is the last of them. Nothing here takes long at once: runs are sorted as they fill and
 * merged as they are read.
 */
export class SortedRuns<T> {
  private runs: Run<T>[] = [];
  private filling: T[] = [];
  private readonly first: Heap<T> | undefined;
  private readonly merging: Heap<Run<T>>;

  constructor(
    private readonly order: (a: T, b: T) => number,
    private readonly limit: number | undefined,
  ) {
    this.merging = new Heap<Run<T>>((a, b) => order(a.items[a.at] as T, b.items[b.at] as T));
    if (limit !== undefined) this.first = new Heap<T>((a, b) => order(b, a));
  }

  /** Gives the item that this one pushed out, which may be itself. */
  add(item: T): T | undefined {
    const { first } = this;
    if (!first) {
      this.fill(item);
      return undefined;
    }
    if (first.size < (this.limit ?? 0)) {
      first.push(item);
      return undefined;
    }
    const last = first.top;
    if (last === undefined || this.order(item, last) >= 0) return item;
    first.replaceTop(item);
    return last;
  }

  /** Call until it says true; then `next` gives the items. */
  settle(): boolean {
    const { first } = this;
    for (let n = 0; n < runItems && first && first.size > 0; n++) this.fill(first.pop() as T);
    if (first && first.size > 0) return false;
    if (this.filling.length > 0) this.endRun();
    for (const run of this.runs) this.merging.push(run);
    this.runs = [];
    return true;
  }

  next(): T | undefined {
    const run = this.merging.top;
    if (!run) return undefined;
    const item = run.items[run.at];
    run.at += 1;
    if (run.at < run.items.length) this.merging.sinkTop();
    else this.merging.pop();
    return item;
  }

  private fill(item: T): void {
    this.filling.push(item);
    if (this.filling.length === runItems) this.endRun();
  }

  private endRun(): void {
    this.runs.push({ items: this.filling.sort(this.order), at: 0 });
    this.filling = [];
  }
}
