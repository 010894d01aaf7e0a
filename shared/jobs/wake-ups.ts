import type { Collection, Db } from 'mongodb';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';

/** Sent to every process that listens, at most once each, and perhaps never: polling finds the rest. */
interface WakeUp {
  readonly queue: string;
  /** Null: more than a wake-up holds; look at all of them. */
  readonly groups: readonly string[] | null;
}

export interface WakeUps {
  /** Never fails, never waits. */
  post(queue: string, groups: Iterable<string>): void;
  /** @returns a function that stops listening; it resolves after the last notification. */
  listen(hear: (wakeUp: WakeUp) => void): () => Promise<void>;
}

/** One process alone: it hears its own work directly. */
export const noWakeUps: WakeUps = { post: () => {}, listen: () => async () => {} };

interface WakeUpDocument extends WakeUp {
  readonly by: string;
}

const COLLECTION = 'wakeups';
const CAPPED = { capped: true, size: 1024 * 1024, max: 1_000 } as const;
const COLLECTION_EXISTS = 48;
const MAX_GROUPS = 100;
/** Wake-ups of one process gather this long, so that a busy producer costs a hundred small writes a second at most. */
const GATHER_MS = 10;
const REOPEN_MS = 1_000;
const AWAIT_MS = 1_000;

/** Between processes: a small capped collection, read by a tailable cursor. Needs no replica set, and forgets by itself. */
export class CollectionWakeUps implements WakeUps {
  readonly #documents: Collection<WakeUpDocument>;
  readonly #db: Db;
  readonly #owner: string;
  readonly #logger: Logger;
  #gathered = new Map<string, Set<string>>();

  constructor(db: Db, owner: string, logger: Logger) {
    this.#db = db;
    this.#documents = db.collection<WakeUpDocument>(COLLECTION, {
      writeConcern: { w: 1 },
      readConcern: { level: 'local' },
    });
    this.#owner = owner;
    this.#logger = logger;
  }

  async prepare(): Promise<void> {
    try {
      await this.#db.createCollection(COLLECTION, CAPPED);
      // A tailable cursor on an empty collection ends at once.
      await this.#documents.insertOne({ queue: '', groups: [], by: this.#owner });
    } catch (error) {
      if (!isCollectionExists(error) && !duplicateKeyOf(error)) throw error;
    }
  }

  post(queue: string, groups: Iterable<string>): void {
    if (this.#gathered.size === 0) setTimeout(() => this.#send(), GATHER_MS).unref();
    const set = this.#gathered.get(queue) ?? new Set();
    for (const group of groups) if (set.size <= MAX_GROUPS) set.add(group);
    this.#gathered.set(queue, set);
  }

  listen(hear: (wakeUp: WakeUp) => void): () => Promise<void> {
    const stopping = new AbortController();
    const listening = this.#listen(hear, stopping.signal);
    return async () => {
      stopping.abort();
      await listening;
    };
  }

  #send(): void {
    const documents = [...this.#gathered].map(([queue, groups]) => ({
      queue,
      groups: groups.size > MAX_GROUPS ? null : [...groups],
      by: this.#owner,
    }));
    this.#gathered = new Map();
    this.#documents
      .insertMany(documents)
      .catch((error: unknown) => this.#logger.debug(describeUnexpected(error), 'a wake-up was not sent'));
  }

  /** Also hears a wake-up that is already there: one look in vain costs less than a missed one. */
  async #listen(hear: (wakeUp: WakeUp) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const cursor = this.#documents.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: AWAIT_MS });
      const close = (): void =>
        void cursor.close().catch(() => this.#logger.debug('a cursor was gone before its close'));
      signal.addEventListener('abort', close, { once: true });
      try {
        for await (const { queue, groups, by } of cursor) {
          if (signal.aborted) break;
          if (by !== this.#owner && queue !== '') hear({ queue, groups });
        }
      } catch (error) {
        if (!signal.aborted) this.#logger.debug(describeUnexpected(error), 'the reader of wake-ups restarts');
      } finally {
        signal.removeEventListener('abort', close);
        await cursor.close().catch(() => this.#logger.debug('a cursor was gone before its close'));
      }
      await pause(REOPEN_MS, signal);
    }
  }
}

/** Ends early when the signal aborts, and keeps no process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    timer.unref();
    signal.addEventListener('abort', finish);
  });
}

const isCollectionExists = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === COLLECTION_EXISTS;
