import { itemAt } from '../checked-access.js';

/** Items sorted at once, in a few milliseconds. */
const RUN_ITEMS = 2_048;

/** A sorted stretch that is being merged. */
interface Run<T> {
  readonly items: readonly T[];
  at: number;
}

/**
 * Collects items and returns them in order; `order` must distinguish any two items. With a limit it keeps only the
 * first `limit` items, in a heap with the last of them on top. No step takes long: runs are sorted when they are full
 * and merged while they are read.
 */
export class SortedRuns<T> {
  #runs: Run<T>[] = [];
  #filling: T[] = [];
  readonly #first: Heap<T> | undefined;
  readonly #merging: Heap<Run<T>>;
  readonly #order: (a: T, b: T) => number;
  readonly #limit: number | undefined;

  constructor(order: (a: T, b: T) => number, limit: number | undefined) {
    this.#order = order;
    this.#limit = limit;
    this.#merging = new Heap<Run<T>>((a, b) => order(itemAt(a.items, a.at), itemAt(b.items, b.at)));
    if (limit !== undefined) this.#first = new Heap<T>((a, b) => order(b, a));
  }

  /** Returns the item that this one displaced, which may be itself. */
  add(item: T): T | undefined {
    const first = this.#first;
    if (!first) {
      this.#fill(item);
      return undefined;
    }
    if (first.size < (this.#limit ?? 0)) {
      first.push(item);
      return undefined;
    }
    const last = first.top;
    if (last === undefined || this.#order(item, last) >= 0) return item;
    first.replaceTop(item);
    return last;
  }

  /** Call until it returns true; then `next` returns the items. */
  settle(): boolean {
    const first = this.#first;
    for (let n = 0; n < RUN_ITEMS && first && first.size > 0; n++) {
      const next = first.pop();
      if (next !== undefined) this.#fill(next);
    }
    if (first && first.size > 0) return false;
    if (this.#filling.length > 0) this.#endRun();
    for (const run of this.#runs) this.#merging.push(run);
    this.#runs = [];
    return true;
  }

  next(): T | undefined {
    const run = this.#merging.top;
    if (!run) return undefined;
    const item = run.items[run.at];
    run.at += 1;
    if (run.at < run.items.length) this.#merging.sinkTop();
    else this.#merging.pop();
    return item;
  }

  #fill(item: T): void {
    this.#filling.push(item);
    if (this.#filling.length === RUN_ITEMS) this.#endRun();
  }

  #endRun(): void {
    this.#runs.push({ items: this.#filling.sort(this.#order), at: 0 });
    this.#filling = [];
  }
}

/** Items between two pauses of a blocking stage. */
export const ITEMS_PER_PAUSE = 128;

/** Sorts the items, equal ones by arrival, and pauses so that other commands can run. */
export function* sortInPauses<T>(
  items: readonly T[],
  order: (a: T, b: T) => number,
): Generator<undefined, T[], undefined> {
  const runs = new SortedRuns<{ readonly item: T; readonly arrival: number }>(
    (a, b) => order(a.item, b.item) || a.arrival - b.arrival,
    undefined,
  );
  for (const [arrival, item] of items.entries()) {
    runs.add({ item, arrival });
    if (arrival % ITEMS_PER_PAUSE === ITEMS_PER_PAUSE - 1) yield;
  }
  while (!runs.settle()) yield;
  const sorted: T[] = [];
  for (let next = runs.next(); next; next = runs.next()) if (sorted.push(next.item) % ITEMS_PER_PAUSE === 0) yield;
  return sorted;
}

/** A binary heap; its top is the least by `order`. */
class Heap<T> {
  readonly #items: T[] = [];
  readonly #order: (a: T, b: T) => number;

  constructor(order: (a: T, b: T) => number) {
    this.#order = order;
  }

  get size(): number {
    return this.#items.length;
  }

  get top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    items.push(item);
    let at = items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#order(itemAt(items, at), itemAt(items, parent)) >= 0) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.replaceTop(last);
    return top;
  }

  replaceTop(item: T): void {
    this.#items[0] = item;
    this.sinkTop();
  }

  /** Restores the heap after the rank of its top changed. */
  sinkTop(): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < items.length; child++) {
        if (this.#order(itemAt(items, child), itemAt(items, least)) < 0) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    const held = itemAt(items, a);
    items[a] = itemAt(items, b);
    items[b] = held;
  }
}
