import { GroupedCalls } from '../clock/grouped-calls.js';
import { type Repeating, repeat } from '../clock/timers.js';
import type { Database } from '../db/database.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import type { Effect, PendingEffect } from './pending-effect.js';
import type { Performers } from './performers.js';

/** Interval of the sweep, which performs effects after a crash or an outage. */
const SWEEP_INTERVAL_MS = 5_000;

interface OutboxDeps<E extends Effect> {
  readonly database: Database;
  readonly performers: Performers<E>;
  readonly logger: Logger;
}

/** Performs the effects of a write at once. */
export interface EffectRelay {
  relay(collection: string, documentId: string, pending: readonly Effect[]): Promise<void>;
}

interface SweepReport {
  readonly performed: number;
  /** Failed effects, which wait for the next sweep. */
  readonly failed: number;
}

/** Performed effects of one document; one write removes those of many documents. */
interface Performed {
  readonly documentId: string;
  readonly ids: readonly string[];
}

const MOST_SETTLED = 500;

interface Carrier<E> {
  readonly _id: string;
  readonly pending?: readonly E[];
}

/** Index that the sweep searches by; every model with a `pending` member declares it. */
export const PENDING_INDEX = [
  { 'pending.id': 1 },
  { partialFilterExpression: { 'pending.id': { $exists: true } } },
] as const;

const WITH_PENDING = { 'pending.id': { $exists: true, $gt: '' } } as const;

/**
 * Performs the effects that documents carry in `pending`, and removes each performed one. `relay` runs after a write;
 * `sweep` finds the effects that a crash or an outage has left.
 */
export class Outbox<E extends Effect = PendingEffect> implements EffectRelay {
  readonly #deps: OutboxDeps<E>;
  readonly #collections: readonly string[];
  readonly #settled = new GroupedCalls<Performed, undefined>((name, done) => this.#takeAway(name, done), MOST_SETTLED);

  constructor(deps: OutboxDeps<E>, collections: readonly string[]) {
    this.#deps = deps;
    this.#collections = collections;
  }

  /**
   * Performs the effects of a write. Never fails: the effects are committed with the write, and the sweep performs
   * those that cannot be performed now.
   */
  async relay(collection: string, documentId: string, pending: readonly E[]): Promise<void> {
    await this.#perform(collection, documentId, pending);
  }

  /** Performs every waiting effect; a failure delays only the later effects of its document. */
  async sweep(): Promise<SweepReport> {
    let performed = 0;
    let failed = 0;
    for (const name of this.#collections) {
      const carriers = this.#deps.database.db
        .collection<Carrier<E>>(name)
        .find(WITH_PENDING, { projection: { pending: 1 } });
      for await (const { _id, pending = [] } of carriers) {
        const done = await this.#perform(name, _id, pending);
        performed += done;
        failed += pending.length - done;
      }
    }
    return { performed, failed };
  }

  /** Sweeps now and from then on. */
  start(): Repeating {
    const report = (error: unknown): void =>
      this.#deps.logger.error(describeUnexpected(error), 'the sweep of pending effects failed');
    const sweep = async (): Promise<void> => {
      await this.sweep();
    };
    const first = sweep().catch(report);
    const repeating = repeat(SWEEP_INTERVAL_MS, sweep, report);
    return {
      stop: async () => {
        await first;
        await repeating.stop();
      },
    };
  }

  /** In order, up to the first failure: a later entry must not precede an earlier one. @returns the number performed. */
  async #perform(collection: string, documentId: string, pending: readonly E[]): Promise<number> {
    const done: string[] = [];
    try {
      for (const effect of pending) {
        await this.#performerOf(effect)(effect);
        done.push(effect.id);
      }
    } catch (error) {
      const kind = pending[done.length]?.kind;
      this.#deps.logger.warn(
        { ...describeUnexpected(error), collection, kind },
        'a pending effect waits for the sweep',
      );
    }
    try {
      await this.#settle(collection, documentId, done);
    } catch (error) {
      // The next sweep performs them again, which changes nothing.
      this.#deps.logger.warn({ ...describeUnexpected(error), collection }, 'performed effects could not be removed');
    }
    return done.length;
  }

  /** @throws for a kind of a later version: its document waits until a process that knows it sweeps. */
  #performerOf(effect: E): (effect: E) => Promise<void> {
    // A stored effect may have a kind that this version does not know.
    const known = this.#deps.performers as unknown as Partial<Record<string, (effect: E) => Promise<void>>>;
    const performer = Object.hasOwn(known, effect.kind) ? known[effect.kind] : undefined;
    if (!performer) throw new RangeError('an effect of a kind that this version does not know');
    return performer;
  }

  async #settle(collection: string, documentId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#settled.call(collection, { documentId, ids });
  }

  async #takeAway(collection: string, performed: readonly Performed[]): Promise<readonly undefined[]> {
    const documents = this.#deps.database.db.collection<{ _id: string; pending: Effect[] }>(collection);
    const operations = performed.map(({ documentId, ids }) => ({
      updateOne: { filter: { _id: documentId }, update: { $pull: { pending: { id: { $in: [...ids] } } } } },
    }));
    await documents.bulkWrite(operations, { ordered: false });
    return performed.map(() => undefined);
  }
}
