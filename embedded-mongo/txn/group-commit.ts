import { constants } from 'node:os';
import { ABORT as lmdbAbort } from 'lmdb';
import { isRecord } from '../checked-access.js';
import { MongoError } from '../errors.js';
import type { System } from '../server/system.js';
import type { Environment } from '../store/environment.js';

/** LMDB's own codes: the map cannot grow, or the state of the root page is unknown. */
const MAP_FULL = -30_792;
const PANIC = -30_795;

/** A failed write: disk, quota, file size limit, device. LMDB also reports a short write as EIO. */
const FAILED_WRITE_CODES: ReadonlySet<unknown> = new Set([
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
  constants.errno.EIO,
  constants.errno.EROFS,
  PANIC,
]);

/** The client's error for a rolled-back transaction; unknown errors pass unchanged. */
export function storageFailure(error: unknown): unknown {
  if (codeOf(error) !== MAP_FULL) return error;
  return new MongoError('OutOfDiskSpace', 'the memory map is full and cannot grow: the write was rolled back');
}

/** After a failed write of the root page LMDB refuses everything: with the code PANIC, or with EINVAL and this word. */
const PANIC_WORD = 'MDB_PANIC';

export function isFailedWrite(error: unknown): boolean {
  return FAILED_WRITE_CODES.has(codeOf(error)) || (error instanceof Error && error.message.includes(PANIC_WORD));
}

/**
 * Ends the server after a failed write, without an answer: acknowledged writes are on disk, the transaction was rolled
 * back, and lmdb-js may have damaged memory while it formatted the error.
 */
export function giveUpAfterFailedWrite(error: unknown, dataDir: string, system: Pick<System, 'giveUp'>): void {
  if (!isFailedWrite(error)) return;
  const reason = error instanceof Error ? error.message : String(error);
  system.giveUp(
    `a write to ${dataDir} failed (${reason}) and was undone; the server ends, with everything it acknowledged on disk. ` +
      'See to the disk, its quota and its limits, then start again',
  );
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/**
 * Runs `work` in one transaction and resolves with its result after the commit is on disk. `large` groups write many
 * pages; `auto` commits those on the other thread.
 */
export type GroupCommit = (work: () => unknown, large: boolean) => Promise<unknown>;

/**
 * `sync` commits on the event loop: the least work and latency where a flush is quick, but no reads meanwhile. `async`
 * commits on LMDB's thread: two thread switches more for each group, but reads continue during a slow flush. `auto`
 * uses `sync` while flushes are quick, and only for groups without carried-over work.
 */
export type CommitMode = 'auto' | 'async' | 'sync';

/** An average flush above this uses the other thread. */
const QUICK_COMMIT_MS = 4;
/** Weight of the newest commit in that average. */
const NEWEST_WEIGHT = 0.1;
/** Groups committed asynchronously before the next synchronous try. */
const GROUPS_UNTIL_RETRY = 500;

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
      // A failed transaction that is visible was written but not flushed. Later flushes may succeed without writing its
      // pages, so only a restart, which returns to the last flush, is safe.
      if (lastTransaction(env) >= transaction)
        system.giveUp('the disk failed while a commit was flushed; start again to continue from the last flush');
      throw error;
    }
  };
}

function lastTransaction({ root }: Environment): number {
  const stats: unknown = root.getStats();
  return isRecord(stats) && typeof stats['lastTxnId'] === 'number' ? stats['lastTxnId'] : 0;
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
    averageMs += (system.monotonicMs() - workDoneMs - averageMs) * NEWEST_WEIGHT;
    if (averageMs > QUICK_COMMIT_MS) {
      groupsAside = GROUPS_UNTIL_RETRY;
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
    // A child transaction, because lmdb-js can roll back only those in an asynchronous commit.
    return await unlessPanicked(root, async () => {
      const result = await root.childTransaction(() => {
        // lmdb-js makes another promise for the commit that no caller can reach; its unhandled rejection on a full disk
        // would end the process.
        void root.committed.then(undefined, () => undefined);
        return work();
      });
      await root.flushed;
      await requireFlushed(root);
      return result;
    });
  } catch (error) {
    throw await causeOf(error);
  }
}

/**
 * LMDB of lmdb-js 3.5.6 reports a commit on its thread as flushed although the write of the flushed root page
 * failed (mdb_txn_commit drops that result); a restart would return to the root page before. `sync` writes the page again
 * if it is missing, and reports the failure. Missing in LMDB's type declaration.
 */
async function requireFlushed(root: Environment['root']): Promise<void> {
  const sync: unknown = Reflect.get(root, 'sync');
  if (typeof sync !== 'function') throw new Error('this version of lmdb has no sync');
  await new Promise<void>((resolve, reject) => {
    Reflect.apply(sync, root, [(error: unknown) => (error ? reject(error) : resolve())]);
  });
}

const PANIC_CHECK_MS = 1_000;
const ANY_KEY = Buffer.from([0]);

/**
 * Rejects when LMDB refuses everything. lmdb-js 3.5.6 then settles no promise of a transaction that it could not begin,
 * so that the write would wait for ever.
 */
async function unlessPanicked(root: Environment['root'], commit: () => Promise<unknown>): Promise<unknown> {
  let check: NodeJS.Timeout | undefined;
  const panic = new Promise<never>((_, reject) => {
    check = setInterval(() => {
      try {
        root.resetReadTxn();
        root.doesExist(ANY_KEY);
      } catch (error) {
        reject(error);
      }
    }, PANIC_CHECK_MS).unref();
  });
  return Promise.race([commit(), panic]).finally(() => clearInterval(check));
}

/** lmdb-js hides the reason of a failed commit in another promise on the error. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return Promise.resolve(error.commitError).then(
    () => error,
    (cause: unknown) => cause,
  );
}

/** A transaction callback returns this to roll back. */
export const ABORT: unknown = lmdbAbort;
