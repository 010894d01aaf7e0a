import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Everything the server takes from the outside world besides its files and sockets; tests may replace it. */
export interface System {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  randomBytes(size: number): Buffer;
  /** One line for the operator about a fault no client can act on. */
  report(message: string, error: unknown): void;
  /** Ends the server at once, after one line for the operator: going on would mean to guess what is on disk. */
  giveUp(message: string): void;
  /** Of the file system that holds a folder, for its owner. */
  diskRoom(folder: string): { readonly freeBytes: number; readonly totalBytes: number };
}

export const realSystem: System = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  randomBytes,
  report: (message, error) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`embedded-mongo: ${message}: ${detail}\n`);
  },
  giveUp: (message) => {
    process.stderr.write(`embedded-mongo: ${message}\n`);
    process.exit(1);
  },
  diskRoom: (folder) => {
    const { bavail, bsize, blocks } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};
