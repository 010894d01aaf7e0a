import { nextTurn } from './timers.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Answers for each item, in their order; done again for one of them it must change nothing. */
type PerformGroup<Item, Result, Key> = (key: Key, items: readonly Item[]) => Promise<readonly Result[]>;

/**
 * Performs the calls of one turn of the event loop together, so that many concurrent calls cost one round trip.
 * A call never waits for a running group, so a call may be made within another.
 */
export class GroupedCalls<Item, Result, Key extends string = string> {
  readonly #perform: PerformGroup<Item, Result, Key>;
  readonly #most: number;
  readonly #lines = new Map<Key, Waiting<Item, Result>[]>();

  /** @param most in one group. */
  constructor(perform: PerformGroup<Item, Result, Key>, most: number) {
    this.#perform = perform;
    this.#most = most;
  }

  /** @param key calls of one key alone are performed together. */
  call(key: Key, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(key) ?? this.#opened(key);
      line.push({ item, resolve, reject });
    });
  }

  #opened(key: Key): Waiting<Item, Result>[] {
    const line: Waiting<Item, Result>[] = [];
    this.#lines.set(key, line);
    void nextTurn().then(() => {
      this.#lines.delete(key);
      for (let at = 0; at < line.length; at += this.#most) void this.#run(key, line.slice(at, at + this.#most));
    });
    return line;
  }

  async #run(key: Key, group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#perform(
        key,
        group.map(({ item }) => item),
      );
      if (results.length !== group.length) throw new RangeError('a group answers for each of its items');
      for (const [i, result] of results.entries()) group[i]?.resolve(result);
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      // A fault of one item must not fail the others.
      else for (const one of group) void this.#run(key, [one]);
    }
  }
}
