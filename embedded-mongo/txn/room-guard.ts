import { MongoError } from '../errors.js';
import type { System } from '../system.js';

/** Writes are refused when less than this is free, or than a tenth of a small disk. */
const reserveBytes = 128 * 1024 ** 2;
const reserveShare = 0.1;
/** How long one look at the disk holds; at 1 GB/s nothing could use up the reserve in that time. */
const holdsMs = 100;

/**
 * Refuses writes while there is still room: lmdb must not run into the end of the disk, because lmdb-js 3.5.6 writes
 * past a buffer of its own when it words that error (mdb_page_flush), and nobody knows what it overwrites.
 */
export function roomGuard(dataDir: string, system: Pick<System, 'diskRoom' | 'monotonicMs'>): () => void {
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = system.monotonicMs();
    if (nowMs - checkedAtMs < holdsMs) return;
    const { freeBytes, totalBytes } = system.diskRoom(dataDir);
    const neededBytes = Math.min(reserveBytes, totalBytes * reserveShare);
    if (freeBytes < neededBytes) {
      throw new MongoError(
        'OutOfDiskSpace',
        `only ${mebibytes(freeBytes)} MiB are free in ${dataDir}, and writes need ${mebibytes(neededBytes)}: free some space`,
      );
    }
    checkedAtMs = nowMs;
  };
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
