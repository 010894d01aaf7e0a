import { nextTurn } from './timers.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Answers for each item, in their order; done again for one of them it must change nothing. */
export type PerformGroup<Item, Result> = (key: string, items: readonly Item[]) => Promise<readonly Result[]>;

/**
 * Calls that are made in one turn of the event loop, performed together: many that come at the same time cost one round trip.
 * Nobody waits for a group that is under way, so that a call may be made from within another.
 */
export class GroupedCalls<Item, Result> {
  readonly #perform: PerformGroup<Item, Result>;
  readonly #most: number;
  readonly #lines = new Map<string, Waiting<Item, Result>[]>();

  /** @param most in one group. */
  constructor(perform: PerformGroup<Item, Result>, most: number) {
    this.#perform = perform;
    this.#most = most;
  }

  /** @param key calls of one key alone are performed together. */
  call(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(key) ?? this.#opened(key);
      line.push({ item, resolve, reject });
    });
  }

  #opened(key: string): Waiting<Item, Result>[] {
    const line: Waiting<Item, Result>[] = [];
    this.#lines.set(key, line);
    void nextTurn().then(() => {
      this.#lines.delete(key);
      for (let at = 0; at < line.length; at += this.#most) void this.#run(key, line.slice(at, at + this.#most));
    });
    return line;
  }

  async #run(key: string, group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#perform(
        key,
        group.map(({ item }) => item),
      );
      if (results.length !== group.length) throw new RangeError('a group answers for each of its items');
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as Result);
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      // What is wrong with one item is none of the others' matter.
      else for (const one of group) void this.#run(key, [one]);
    }
  }
}
