import { leaseKey } from './row-store.js';
import type { WorkRow } from './work-queue.js';

/** A row that this process has claimed. */
export interface HeldRow<Row extends WorkRow> {
  readonly row: Row;
  readonly group: string;
  readonly token: string;
  readonly abort: AbortController;
  /** By this process's clock; renewed while the row is held. */
  untilMs: number;
  /** `ready`: claimed ahead; `running`: with its handler; `settling`: its outcome is being written. */
  stage: 'ready' | 'running' | 'settling';
}

/** What this process holds, and the order in which it begins: by turns between groups, by age within one. */
export class HeldRows<Row extends WorkRow> {
  readonly #held = new Map<string, HeldRow<Row>>();
  readonly #ready = new Map<string, HeldRow<Row>[]>();

  get size(): number {
    return this.#held.size;
  }

  add(held: HeldRow<Row>): void {
    this.#held.set(leaseKey(held.row._id, held.token), held);
    const ready = this.#ready.get(held.group);
    if (ready) ready.push(held);
    else this.#ready.set(held.group, [held]);
  }

  /** The next row that may begin; its group goes to the end. */
  nextReady(mayBegin: (group: string) => boolean): HeldRow<Row> | undefined {
    for (const [group, rows] of this.#ready) {
      if (!mayBegin(group)) continue;
      const next = rows.shift();
      this.#ready.delete(group);
      if (rows.length > 0) this.#ready.set(group, rows);
      if (next) return next;
    }
    return undefined;
  }

  /** Takes away all that has not begun. */
  takeReady(): readonly HeldRow<Row>[] {
    const rows = [...this.#ready.values()].flat();
    this.#ready.clear();
    for (const held of rows) this.remove(held);
    return rows;
  }

  has(held: HeldRow<Row>): boolean {
    return this.#held.get(leaseKey(held.row._id, held.token)) === held;
  }

  remove(held: HeldRow<Row>): void {
    this.#held.delete(leaseKey(held.row._id, held.token));
  }

  all(): readonly HeldRow<Row>[] {
    return [...this.#held.values()];
  }
}
