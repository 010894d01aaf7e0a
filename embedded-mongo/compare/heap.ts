/** A binary heap; its top is the least by `order`. */
export class Heap<T> {
  private readonly items: T[] = [];

  constructor(private readonly order: (a: T, b: T) => number) {}

  get size(): number {
    return this.items.length;
  }

  get top(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items } = this;
    items.push(item);
    let at = items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.order(items[at] as T, items[parent] as T) >= 0) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.replaceTop(last);
    return top;
  }

  replaceTop(item: T): void {
    this.items[0] = item;
    this.sinkTop();
  }

  /** Puts the top back in its place after its rank changed. */
  sinkTop(): void {
    const { items } = this;
    let at = 0;
    for (;;) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < items.length; child++) {
        if (this.order(items[child] as T, items[least] as T) < 0) least = child;
      }
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(a: number, b: number): void {
    const { items } = this;
    const held = items[a] as T;
    items[a] = items[b] as T;
    items[b] = held;
  }
}
