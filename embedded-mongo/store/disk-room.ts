import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../errors.js';
import type { System } from '../server/system.js';

/** Writes are rejected below this free space, or below a tenth of a small disk. */
const RESERVE_BYTES = 128 * 1024 ** 2;
const RESERVE_SHARE = 0.1;
/** How long one disk check is valid; at 1 GB/s no writer can use up the reserve in that time. */
const HOLDS_MS = 100;
/** A group that frees space may write this much before it frees anything: LMDB copies pages before it drops them. */
const FREEING_BYTES = 2 * 1024 ** 2;
const SPARE_NAME = 'spare.bin';
const SPARE_BYTES = 2 * FREEING_BYTES;

/** Decides which writes the disk has space for. */
export interface DiskRoom {
  /** Throws unless the disk has space for a write, or for one that frees space. */
  require(frees: boolean): void;
  /** Whether only writes that free space are possible, which then run in small groups. */
  isTight(): boolean;
  /** Keeps a spare file while the disk has space for it; it is given up so that a full disk can be cleared. */
  keepSpare(): void;
  /** Gives up the spare file where even opening the database could fail. */
  giveSpareIfFull(): void;
}

/**
 * Rejects writes before the disk is full: lmdb-js 3.5.6 writes past its buffer when it formats that error
 * (mdb_page_flush) and may overwrite other memory. Deletes and drops may use the reserve, and the spare file after it, so
 * that a full disk can be cleared.
 */
export function diskRoom(dataDir: string, system: Pick<System, 'diskRoom' | 'monotonicMs'>): DiskRoom {
  const spare = join(dataDir, SPARE_NAME);
  let ampleAtMs = Number.NEGATIVE_INFINITY;
  const neededBytes = (totalBytes: number) => Math.min(RESERVE_BYTES, totalBytes * RESERVE_SHARE);
  const isAmple = () => system.monotonicMs() - ampleAtMs < HOLDS_MS;
  const giveSpareIfFull = () => {
    if (system.diskRoom(dataDir).freeBytes < FREEING_BYTES) rmSync(spare, { force: true });
  };
  return {
    isTight: () => !isAmple(),
    giveSpareIfFull,
    require: (frees) => {
      if (isAmple()) return;
      const { freeBytes, totalBytes } = system.diskRoom(dataDir);
      if (freeBytes >= neededBytes(totalBytes)) {
        ampleAtMs = system.monotonicMs();
        return;
      }
      if (!frees) refuse(dataDir, freeBytes, neededBytes(totalBytes), 'writes');
      giveSpareIfFull();
      const leftBytes = system.diskRoom(dataDir).freeBytes;
      if (leftBytes < FREEING_BYTES) refuse(dataDir, leftBytes, FREEING_BYTES, 'deletes');
    },
    keepSpare: () => {
      if (existsSync(spare)) return;
      const { freeBytes, totalBytes } = system.diskRoom(dataDir);
      if (freeBytes < neededBytes(totalBytes) + SPARE_BYTES) return;
      // Random bytes, because some file systems store zeros without space.
      writeFileSync(spare, randomFillSync(Buffer.allocUnsafe(SPARE_BYTES)), { mode: 0o600 });
    },
  };
}

function refuse(dataDir: string, freeBytes: number, neededBytes: number, what: 'writes' | 'deletes'): never {
  fail(
    'OutOfDiskSpace',
    `only ${mebibytes(freeBytes)} MiB are free in ${dataDir}, and ${what} need ${mebibytes(neededBytes)}: free some space`,
  );
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
