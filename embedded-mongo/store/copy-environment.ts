import { setImmediate } from 'node:timers/promises';
import { isRecord } from '../checked-access.js';
import type { Bytes, Environment } from './environment.js';

/** Entries of one transaction of the copy. */
const BATCH_ENTRIES = 2_000;
const BATCH_BYTES = 4 * 1024 ** 2;

/** Rewrites a value on its way into the copy; returns undefined to leave the entry out. */
export type Rewrite = (key: Buffer, value: Buffer) => Buffer | undefined;

interface CopyStores {
  readonly catalog?: Rewrite;
  readonly data?: Rewrite;
  /** Called with the number of copied entries and, about, of all. */
  readonly report?: ReportEntries | undefined;
}

export type ReportEntries = (done: number, total: number) => void;

const AS_IT_IS: Rewrite = (_, value) => value;

/**
 * Copies every entry as of one moment into another environment, while the source serves reads and writes. It continues
 * after the last key that the target has, so that a copy that was cut off is continued; then the source must not have
 * changed in between. The target is on the disk when the promise resolves.
 */
export async function copyEnvironment(
  source: Environment,
  target: Environment,
  stores: CopyStores = {},
): Promise<void> {
  const moment = source.data.useReadTransaction();
  const counted = stores.report && entriesOf(source);
  try {
    for (const [from, to, rewrite = AS_IT_IS] of [
      [source.data, target.data, stores.data],
      [source.catalogBytes, target.catalogBytes, stores.catalog],
    ] as const) {
      const copied = counted === undefined ? undefined : () => stores.report?.(entriesOf(target), counted);
      await copyStore(from, to, { target, moment, rewrite, copied });
    }
  } finally {
    moment.done();
  }
  await target.root.flushed;
}

interface CopyOf {
  readonly target: Environment;
  readonly moment: ReturnType<Bytes['useReadTransaction']>;
  readonly rewrite: Rewrite;
  /** Called after each batch. */
  readonly copied: (() => void) | undefined;
}

/** Entries of both stores. */
function entriesOf({ data, catalogBytes }: Environment): number {
  return [data, catalogBytes].reduce((sum, store) => sum + entryCountOf(store.getStats()), 0);
}

const entryCountOf = (stats: unknown): number =>
  isRecord(stats) && typeof stats['entryCount'] === 'number' ? stats['entryCount'] : 0;

async function copyStore(from: Bytes, to: Bytes, { target, moment, rewrite, copied }: CopyOf): Promise<void> {
  const [last] = to.getKeys({ reverse: true, limit: 1 });
  let start = last === undefined ? undefined : after(last);
  for (;;) {
    const batch: { readonly key: Buffer; readonly value: Buffer }[] = [];
    let sizeBytes = 0;
    const range = { ...(start === undefined ? {} : { start }), transaction: moment };
    for (const { key, value } of from.getRange(range)) {
      batch.push({ key, value });
      sizeBytes += value.length;
      if (batch.length >= BATCH_ENTRIES || sizeBytes >= BATCH_BYTES) break;
    }
    const end = batch.at(-1);
    if (end === undefined) return;
    target.root.transactionSync(() => {
      for (const { key, value } of batch) {
        const written = rewrite(key, value);
        if (written !== undefined) to.putSync(key, written);
      }
    });
    start = after(end.key);
    copied?.();
    // Commands of the source run between two batches.
    await setImmediate();
  }
}

/** The key after every other one that does not begin with it. */
const after = (key: Buffer): Buffer => Buffer.concat([key, Buffer.alloc(1)]);
