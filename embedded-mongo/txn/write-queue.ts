import type { Catalog } from '../catalog/catalog.js';
import { MongoError } from '../errors.js';
import type { Operation } from '../exec/operation.js';
import type { DiskRoom } from '../store/disk-room.js';
import type { DocumentStore } from '../store/document-store.js';
import { ABORT, type GroupCommit, storageFailure } from './group-commit.js';

/** Work inside the write transaction. Long work yields between chunks; the rest runs in a later group. */
export type WriteSteps<T> = Generator<undefined, T, undefined>;

interface Job {
  /** Ends with the function that delivers the result to the caller. */
  start(): WriteSteps<() => void>;
  steps: WriteSteps<() => void> | undefined;
  outcome: { deliver: () => void } | { error: unknown } | undefined;
  /** Steps of earlier groups are durable and cannot run again. */
  begun: boolean;
  operation: Pick<Operation, 'failure'> | undefined;
  frees: boolean;
  reject(error: unknown): void;
}

/** The time after which a group commits its work, so that the event loop serves readers in between. */
const GROUP_BUDGET_MS = 20;
/** The same on a nearly full disk, so that a group writes few pages before it frees others. */
const TIGHT_BUDGET_MS = 2;

/** How a command takes part in a group. */
interface WriteOptions {
  /** Work of a stopped operation ends at its next pause; earlier steps stay written, as in MongoDB. */
  readonly operation?: Pick<Operation, 'failure'>;
  /** Whether it frees space or writes nothing: it then runs on a nearly full disk too. */
  readonly frees?: boolean;
}

/** Callbacks of the owner: the catalog saves its counters before a commit and reloads after an abort. */
interface GroupHooks {
  beforeCommit(): void;
  afterAbort(failure: unknown): void;
  afterFlush(): void;
}

/**
 * Group commit. All write commands that arrive during a commit run in ONE transaction and are answered when it is
 * durable. Statements check everything before their first put, so an expected failure leaves nothing to undo. Any
 * other error aborts the group, and its commands run again one by one.
 */
export class WriteQueue {
  #waiting: Job[] = [];
  #active: Promise<void> | undefined;
  #closed: Error | undefined;
  readonly #commit: GroupCommit;
  readonly #hooks: GroupHooks;
  readonly #monotonicMs: () => number;
  readonly #room: Pick<DiskRoom, 'require' | 'isTight'>;

  constructor(
    commit: GroupCommit,
    hooks: GroupHooks,
    monotonicMs: () => number,
    room: Pick<DiskRoom, 'require' | 'isTight'>,
  ) {
    this.#room = room;
    this.#commit = commit;
    this.#hooks = hooks;
    this.#monotonicMs = monotonicMs;
  }

  run<T>(work: () => T, options: WriteOptions = {}): Promise<T> {
    // biome-ignore lint/correctness/useYield: a single step has nothing to yield
    return this.runSteps(function* () {
      return work();
    }, options);
  }

  runSteps<T>(start: () => WriteSteps<T>, { operation, frees = false }: WriteOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        *start() {
          const value = yield* start();
          return () => resolve(value);
        },
        steps: undefined,
        outcome: undefined,
        begun: false,
        operation,
        frees,
        reject,
      });
      this.#active ??= this.#drain();
    });
  }

  /** Rejects new work and resolves when accepted work is durable. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    await this.#active;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Waits for the whole event turn first: requests of one poll of the sockets form one group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = this.#waiting;
      this.#waiting = [];
      const admitted = group.filter((job) => this.#admit(job));
      if (admitted.length > 0) await this.#runGroup(admitted, false);
    }
    this.#active = undefined;
  }

  /** Rejects a command that the disk has no space for. */
  #admit(job: Job): boolean {
    try {
      this.#room.require(job.frees);
      return true;
    } catch (error) {
      job.reject(error);
      return false;
    }
  }

  async #runGroup(group: Job[], alone: boolean): Promise<void> {
    let failure: unknown;
    let reached = 0;
    try {
      const result = await this.#commit(
        () => {
          try {
            reached = this.#execute(group);
            this.#hooks.beforeCommit();
            return undefined;
          } catch (error) {
            failure = error;
            return ABORT;
          }
        },
        group.some((job) => job.begun),
      );
      if (result !== ABORT) {
        this.#hooks.afterFlush();
        this.#settle(group, reached);
        return;
      }
    } catch (error) {
      failure = error;
    }
    this.#hooks.afterAbort(failure);
    await this.#recover(group, failure, alone);
  }

  /** Runs jobs until the budget is spent. @returns the number of jobs reached. */
  #execute(group: readonly Job[]): number {
    const startMs = this.#monotonicMs();
    const groupMs = this.#room.isTight() ? TIGHT_BUDGET_MS : GROUP_BUDGET_MS;
    const spent = (budgetMs: number) => this.#monotonicMs() - startMs > budgetMs;
    let reached = 0;
    for (const job of group) {
      if (reached > 0 && spent(groupMs)) break;
      reached += 1;
      // Carried-over work comes first with half of the time, so that neither it nor new work starves.
      const budgetMs = job.begun ? groupMs / 2 : groupMs;
      advance(job, () => spent(budgetMs), this.#monotonicMs);
    }
    return reached;
  }

  #settle(group: readonly Job[], reached: number): void {
    const carriedOver: Job[] = [];
    const unreached: Job[] = [];
    group.forEach((job, position) => {
      if (position >= reached) unreached.push(job);
      else if (!job.outcome) {
        job.begun = true;
        carriedOver.push(job);
      } else if ('error' in job.outcome) job.reject(job.outcome.error);
      else job.outcome.deliver();
    });
    this.#waiting = [...carriedOver, ...unreached, ...this.#waiting];
  }

  /** After an abort each command runs in a separate transaction, so that only the faulty one fails. */
  async #recover(group: readonly Job[], failure: unknown, alone: boolean): Promise<void> {
    for (const job of group) {
      if (alone || job.begun) {
        job.reject(storageFailure(failure));
        continue;
      }
      job.steps = undefined;
      job.outcome = undefined;
      await this.#runGroup([job], true);
    }
  }
}

function advance(job: Job, overBudget: () => boolean, monotonicMs: () => number): void {
  job.steps ??= job.start();
  for (;;) {
    let step: IteratorResult<undefined, () => void>;
    try {
      const failure = job.operation?.failure(monotonicMs());
      step = failure ? job.steps.throw(failure) : job.steps.next();
    } catch (error) {
      if (!isStatementFailure(error)) throw error;
      job.outcome = { error };
      return;
    }
    if (step.done) {
      job.outcome = { deliver: step.value };
      return;
    }
    if (overBudget()) return;
  }
}

/** Expected failures, thrown before any write of the statement. */
function isStatementFailure(error: unknown): boolean {
  return error instanceof MongoError;
}

export const FREES: WriteOptions = { frees: true };

/** Entries removed in one step of a write group. */
const CLEARED_PER_STEP = 500;

/** Clears the entries of dropped collections and indexes in chunks between other writes. */
export async function clearOrphans(parts: {
  catalog: Catalog;
  store: DocumentStore;
  writes: WriteQueue;
}): Promise<void> {
  const { catalog, store, writes } = parts;
  for (const prefix of catalog.orphanPrefixes()) {
    await writes.runSteps(function* () {
      while (store.clearPrefix(prefix, CLEARED_PER_STEP) > 0) yield;
      catalog.removeOrphan(prefix);
    }, FREES);
  }
}
