import type { Clock } from '../clock/clock.js';

interface FreshCacheOptions<V> {
  readonly clock: Clock;
  /** An answer is never older than this, counted from before its load began. */
  readonly maxAgeMs: number;
  /** Maximum age of "there is none". Kept apart, so that guesses cannot evict entries in use. */
  readonly absentMaxAgeMs: number;
  /** Of present answers; as many again of absent ones. The oldest goes first. */
  readonly maxEntries: number;
  readonly load: (key: string) => Promise<V | undefined>;
}

interface Answer<V> {
  readonly value: V | undefined;
  readonly loadedAtMs: number;
}

/**
 * A bounded cache of answers with a guaranteed age. One load at a time for a key: callers that come while it runs share
 * it. `forget` also discards a running load, because it may have read data that is about to change.
 */
export class FreshCache<V> {
  readonly #options: FreshCacheOptions<V>;
  readonly #present = new Map<string, Answer<V>>();
  readonly #absent = new Map<string, Answer<V>>();
  readonly #loading = new Map<string, Promise<V | undefined>>();

  constructor(options: FreshCacheOptions<V>) {
    this.#options = options;
  }

  /** The answer at once when a fresh one is held, else a promise of it. A failing load rejects and is not kept. */
  get(key: string): V | undefined | Promise<V | undefined> {
    const now = this.#options.clock.monotonicMs();
    const known = this.#present.get(key);
    if (known !== undefined && now - known.loadedAtMs < this.#options.maxAgeMs) return known.value;
    const missing = this.#absent.get(key);
    if (missing !== undefined && now - missing.loadedAtMs < this.#options.absentMaxAgeMs) return undefined;
    return this.#loading.get(key) ?? this.#load(key, now);
  }

  forget(key: string): void {
    this.#present.delete(key);
    this.#absent.delete(key);
    this.#loading.delete(key);
  }

  /** For a change that any answer may rest on. */
  forgetAll(): void {
    this.#present.clear();
    this.#absent.clear();
    this.#loading.clear();
  }

  get size(): { readonly present: number; readonly absent: number } {
    return { present: this.#present.size, absent: this.#absent.size };
  }

  #load(key: string, startedAtMs: number): Promise<V | undefined> {
    const loading: Promise<V | undefined> = this.#options.load(key).then(
      (value) => {
        if (this.#loading.get(key) === loading) this.#keep(key, { value, loadedAtMs: startedAtMs });
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: string, answer: Answer<V>): void {
    this.forget(key);
    const shelf = answer.value === undefined ? this.#absent : this.#present;
    if (shelf.size >= this.#options.maxEntries) {
      const oldest = shelf.keys().next();
      if (!oldest.done) shelf.delete(oldest.value);
    }
    shelf.set(key, answer);
  }
}
