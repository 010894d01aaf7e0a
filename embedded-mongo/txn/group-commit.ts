import type { Environment } from '../store/environment.js';
import type { System } from '../system.js';

/**
 * Runs `work` in one transaction and resolves with its result once the commit is on disk. `large` groups have many
 * pages to write; `auto` leaves those to the other thread.
 */
export type GroupCommit = (work: () => unknown, large: boolean) => Promise<unknown>;

/**
 * `sync` commits on the event loop: least work and latency where a flush is quick, but nobody is answered meanwhile.
 * `async` commits on lmdb's own thread: two thread changes more per group, but reads go on during a slow flush.
 * `auto` takes `sync` as long as flushes are quick, and only for groups without work carried over from earlier ones.
 */
export type CommitMode = 'auto' | 'async' | 'sync';

/** Flushes that block longer than this on average are left to the other thread. */
const quickCommitMs = 4;
/** Weight of the newest commit in that average. */
const newestWeight = 0.1;
/** Groups committed asynchronously before the disk is tried again. */
const groupsUntilRetry = 500;

export function groupCommit(
  env: Environment,
  mode: CommitMode,
  system: Pick<System, 'monotonicMs' | 'giveUp'>,
): GroupCommit {
  const commit = commitBy(env, mode, system);
  return async (work, large) => {
    let transaction = Number.POSITIVE_INFINITY;
    try {
      return await commit(() => {
        transaction = env.root.getWriteTxnId();
        return work();
      }, large);
    } catch (error) {
      // A transaction that failed and can be seen was written but not flushed. Later flushes may succeed without ever
      // writing those pages, so only a new start, which goes back to what was flushed, is sure again.
      if (lastTransaction(env) >= transaction) {
        system.giveUp(
          'the disk failed while a commit was flushed; start again to go on from what is known to be on it',
        );
      }
      throw error;
    }
  };
}

function lastTransaction({ root }: Environment): number {
  return (root.getStats() as { lastTxnId?: number }).lastTxnId ?? 0;
}

function commitBy(env: Environment, mode: CommitMode, system: Pick<System, 'monotonicMs'>): GroupCommit {
  if (mode === 'sync') return async (work) => commitHere(env, work);
  if (mode === 'async') return (work) => commitAside(env, work);
  let averageMs = 0;
  let groupsAside = 0;
  return async (work, large) => {
    if (large) return commitAside(env, work);
    if (groupsAside > 0) {
      groupsAside -= 1;
      return commitAside(env, work);
    }
    let workDoneMs = 0;
    const result = commitHere(env, () => {
      const outcome = work();
      workDoneMs = system.monotonicMs();
      return outcome;
    });
    averageMs += (system.monotonicMs() - workDoneMs - averageMs) * newestWeight;
    if (averageMs > quickCommitMs) {
      groupsAside = groupsUntilRetry;
      averageMs = 0;
    }
    return result;
  };
}

function commitHere({ root }: Environment, work: () => unknown): unknown {
  return root.transactionSync(work);
}

async function commitAside({ root }: Environment, work: () => unknown): Promise<unknown> {
  try {
    // A child transaction, because lmdb-js can roll back only those when it commits asynchronously.
    const result = await root.childTransaction(() => {
      // lmdb-js makes one more promise for the commit, which nobody could catch from outside of this callback; left
      // alone, its rejection on a full disk would end the process.
      void root.committed.then(undefined, () => undefined);
      return work();
    });
    await root.flushed;
    return result;
  } catch (error) {
    throw await causeOf(error);
  }
}

/** Of a failed commit lmdb-js says only that it failed; the reason is the rejection of another promise on the error. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return Promise.resolve(error.commitError).then(
    () => error,
    (cause: unknown) => cause,
  );
}
