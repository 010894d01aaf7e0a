import type { Environment } from '../store/environment.js';

/** Runs `work` in one transaction and resolves with its result once the commit is on disk. */
export type GroupCommit = (work: () => unknown) => Promise<unknown>;

export type CommitMode = 'async' | 'sync';

/**
 * `async` commits and syncs on lmdb's own thread: reads go on meanwhile. `sync` blocks the event loop for the sync,
 * which gives a lone writer less latency on disks with a fast flush.
 */
export function groupCommit({ root }: Environment, mode: CommitMode): GroupCommit {
  if (mode === 'sync') return async (work) => root.transactionSync(work);
  return async (work) => {
    // A child transaction, because lmdb-js can roll back only those when it commits asynchronously.
    const result = await root.childTransaction(work);
    await root.flushed;
    return result;
  };
}
