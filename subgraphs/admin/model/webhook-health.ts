/** Successes of one subscription are written this often at most: a busy one has hundreds a second. */
const SUCCESS_NOTE_MS = 1_000;
/** Beyond so many subscriptions the memory begins anew, at the price of one write each. */
const MOST_REMEMBERED = 10_000;

/**
 * Which successes this process need not write, since it wrote one less than a second ago and has seen no failure since.
 * A failure that another process noted meanwhile is ended by the next success that is written.
 */
export class HealthNotes {
  readonly #writtenMs = new Map<string, number>();

  /** Whether this success is to be written. */
  success(webhookId: string, atMs: number): boolean {
    const writtenMs = this.#writtenMs.get(webhookId);
    if (writtenMs !== undefined && Math.abs(atMs - writtenMs) < SUCCESS_NOTE_MS) return false;
    if (this.#writtenMs.size >= MOST_REMEMBERED) this.#writtenMs.clear();
    this.#writtenMs.set(webhookId, atMs);
    return true;
  }

  failure(webhookId: string): void {
    this.#writtenMs.delete(webhookId);
  }
}

/** Failures of one subscription that are noted by one write. */
export interface Failures {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/**
 * Failures that come while one of the same subscription is being written are written together: a receiver that has gone silent
 * has all of its requests end at one time.
 */
export class FailureNotes<T> {
  readonly #write: (webhookId: string, failures: Failures) => Promise<T>;
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #gathered = new Map<string, { failures: Failures; readonly written: Promise<T> }>();

  constructor(write: (webhookId: string, failures: Failures) => Promise<T>) {
    this.#write = write;
  }

  /** Resolves with what the write gave that this failure is part of. */
  add(webhookId: string, at: Date): Promise<T> {
    const gathered = this.#gathered.get(webhookId);
    if (gathered) {
      gathered.failures = joined(gathered.failures, at);
      return gathered.written;
    }
    const alone = { count: 1, first: at, last: at };
    const before = this.#underWay.get(webhookId);
    if (before === undefined) return this.#begin(webhookId, alone);
    const settled = before.then(
      () => undefined,
      () => undefined,
    );
    const written = settled.then(() => {
      const { failures = alone } = this.#gathered.get(webhookId) ?? {};
      this.#gathered.delete(webhookId);
      return this.#begin(webhookId, failures);
    });
    this.#gathered.set(webhookId, { failures: alone, written });
    return written;
  }

  async #begin(webhookId: string, failures: Failures): Promise<T> {
    const writing = this.#write(webhookId, failures);
    this.#underWay.set(webhookId, writing);
    try {
      return await writing;
    } finally {
      if (this.#underWay.get(webhookId) === writing) this.#underWay.delete(webhookId);
    }
  }
}

const joined = ({ count, first, last }: Failures, at: Date): Failures => ({
  count: count + 1,
  first: at < first ? at : first,
  last: at > last ? at : last,
});
