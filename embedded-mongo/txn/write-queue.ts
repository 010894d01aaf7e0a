import { MongoError } from '../errors.js';
import type { Operation } from '../exec/operation.js';
import { ABORT } from './abort.js';
import type { GroupCommit } from './group-commit.js';
import { storageFailure } from './storage-failure.js';

/** Work inside the write transaction. A long one yields between chunks; the rest then runs in a later group. */
export type WriteSteps<T> = Generator<undefined, T, undefined>;

interface Job {
  start(): WriteSteps<unknown>;
  steps: WriteSteps<unknown> | undefined;
  outcome: { value: unknown } | { error: unknown } | undefined;
  /** Steps already made durable by earlier groups: they cannot be run again. */
  begun: boolean;
  operation: Pick<Operation, 'failure'> | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** After this time the group commits what it has; the event loop must answer readers in between. */
const groupBudgetMs = 20;

/** What the queue tells its owner; the catalog saves its counters before a commit and reloads after an abort. */
export interface GroupHooks {
  beforeCommit(): void;
  afterAbort(failure: unknown): void;
  afterFlush(): void;
}

/**
 * Group commit: all write commands gathered while the last group was made durable run one after the other in ONE
 * transaction, and are answered when it is durable. Statements check everything before their first put, so a command
 * that fails as clients expect leaves nothing to undo; anything else thrown aborts the group, whose commands then run
 * again one by one.
 */
export class WriteQueue {
  private waiting: Job[] = [];
  private active: Promise<void> | undefined;
  private closed: Error | undefined;

  constructor(
    private readonly commit: GroupCommit,
    private readonly hooks: GroupHooks,
    private readonly monotonicMs: () => number,
  ) {}

  run<T>(work: () => T): Promise<T> {
    // biome-ignore lint/correctness/useYield: a single step has nothing to yield
    return this.runSteps(function* () {
      return work();
    });
  }

  /** Work of an operation that must stop is stopped at its next pause; what earlier steps wrote stays, as in MongoDB. */
  runSteps<T>(start: () => WriteSteps<T>, operation?: Pick<Operation, 'failure'>): Promise<T> {
    if (this.closed) return Promise.reject(this.closed);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({
        start,
        steps: undefined,
        outcome: undefined,
        begun: false,
        operation,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.active ??= this.drain();
    });
  }

  /** Refuses new work and resolves when what was accepted is durable. */
  async close(reason: Error): Promise<void> {
    this.closed = reason;
    await this.active;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      // Gather the whole event turn first: the requests of one poll of the sockets belong to one group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = this.waiting;
      this.waiting = [];
      await this.runGroup(group, false);
    }
    this.active = undefined;
  }

  private async runGroup(group: Job[], alone: boolean): Promise<void> {
    let failure: unknown;
    let reached = 0;
    try {
      const result = await this.commit(
        () => {
          try {
            reached = this.execute(group);
            this.hooks.beforeCommit();
            return undefined;
          } catch (error) {
            failure = error;
            return ABORT;
          }
        },
        group.some((job) => job.begun),
      );
      if (result !== ABORT) {
        this.hooks.afterFlush();
        this.settle(group, reached);
        return;
      }
    } catch (error) {
      failure = error;
    }
    this.hooks.afterAbort(failure);
    await this.recover(group, failure, alone);
  }

  /** Runs jobs until the budget is spent; gives how many were reached. */
  private execute(group: readonly Job[]): number {
    const startMs = this.monotonicMs();
    const spent = (budgetMs: number) => this.monotonicMs() - startMs > budgetMs;
    let reached = 0;
    for (const job of group) {
      if (reached > 0 && spent(groupBudgetMs)) break;
      reached += 1;
      // Work carried over comes first but gets half of the time, so neither it nor the others can starve.
      const budgetMs = job.begun ? groupBudgetMs / 2 : groupBudgetMs;
      advance(job, () => spent(budgetMs), this.monotonicMs);
    }
    return reached;
  }

  private settle(group: readonly Job[], reached: number): void {
    const carriedOver: Job[] = [];
    const unreached: Job[] = [];
    group.forEach((job, position) => {
      if (position >= reached) unreached.push(job);
      else if (!job.outcome) {
        job.begun = true;
        carriedOver.push(job);
      } else if ('error' in job.outcome) job.reject(job.outcome.error);
      else job.resolve(job.outcome.value);
    });
    this.waiting = [...carriedOver, ...unreached, ...this.waiting];
  }

  /** After an abort: every command gets a transaction of its own, so that only the faulty one fails. */
  private async recover(group: readonly Job[], failure: unknown, alone: boolean): Promise<void> {
    for (const job of group) {
      if (alone || job.begun) {
        job.reject(storageFailure(failure));
        continue;
      }
      job.steps = undefined;
      job.outcome = undefined;
      await this.runGroup([job], true);
    }
  }
}

function advance(job: Job, overBudget: () => boolean, monotonicMs: () => number): void {
  job.steps ??= job.start();
  for (;;) {
    let step: IteratorResult<undefined, unknown>;
    try {
      const failure = job.operation?.failure(monotonicMs());
      step = failure ? job.steps.throw(failure) : job.steps.next();
    } catch (error) {
      if (!isStatementFailure(error)) throw error;
      job.outcome = { error };
      return;
    }
    if (step.done) {
      job.outcome = { value: step.value };
      return;
    }
    if (overBudget()) return;
  }
}

/** Failures raised on purpose before anything of the statement was written. */
function isStatementFailure(error: unknown): boolean {
  return error instanceof MongoError;
}
