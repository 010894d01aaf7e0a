import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** The server's access to the outside besides files and sockets; tests may replace it. */
export interface System {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  randomBytes(size: number): Buffer;
  /** Reports a fault to the operator in one line. */
  report(message: string, error: unknown): void;
  /** Ends the server at once after one line for the operator, because the state on disk is uncertain. */
  giveUp(message: string): void;
  /** The space of the file system that holds a folder. */
  diskRoom(folder: string): { readonly freeBytes: number; readonly totalBytes: number };
}

export const REAL_SYSTEM: System = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  randomBytes,
  report: (message, error) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`embedded-mongo: ${message}: ${detail}\n`);
  },
  giveUp: (message) => {
    process.stderr.write(`embedded-mongo: ${message}\n`);
    // An exit runs LMDB's own end, which waits for ever for a thread that a failed write of the root page has stopped.
    if (isMainThread) process.kill(process.pid, 'SIGKILL');
    process.exit(1);
  },
  diskRoom: (folder) => {
    const { bavail, bsize, blocks } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};
