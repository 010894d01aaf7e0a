import { delay } from '../../../shared/clock/timers.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import type { TenantLedger } from './ports/ledger-store.js';

/** Rows of a chain and what the write-once store holds under their hashes. */
export interface CheckedBatch {
  readonly rows: readonly LedgerRow[];
  readonly copies: ReadonlyMap<string, Buffer>;
}

const BATCH_ROWS = 500;
const BATCHES_AHEAD = 2;
/** A copy may still be on its way: ledger and write-once store are written at the same time. */
const COPY_GRACE_MS = 60_000;
const COPY_POLLS = 20;
const COPY_POLL_MS = 100;

export interface RowRange {
  readonly sourceSystem: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a range of a chain with its copies, two batches ahead of the consumer, in memory for three.
 *
 * @param nowMs tells which rows are young enough that a missing copy is waited for.
 */
export async function* rowBatches(
  { ledger, worm }: { readonly ledger: TenantLedger; readonly worm: TenantWorm },
  { sourceSystem, from, to }: RowRange,
  nowMs: () => number,
): AsyncGenerator<CheckedBatch> {
  let next = from;
  let reading: Promise<unknown> = Promise.resolve();
  // Rows are read one batch after the other; their copies are looked up while the next rows are being read.
  const fetch = async (): Promise<CheckedBatch> => {
    const rows = reading.then(async () => {
      const read = next > to ? [] : await ledger.rows(sourceSystem, next, to, BATCH_ROWS);
      next = (read.at(-1)?._id.seq ?? to) + 1;
      return read;
    });
    reading = rows;
    const batch = await rows;
    return { rows: batch, copies: await copiesOf(batch, worm, nowMs) };
  };
  const ahead = Array.from({ length: BATCHES_AHEAD }, fetch);
  for (const pending of ahead) pending.catch(() => {});
  for (let batch = await ahead.shift(); batch && batch.rows.length > 0; batch = await ahead.shift()) {
    const following = fetch();
    // Awaited in a later round; a consumer that stops early leaves it unobserved.
    following.catch(() => {});
    ahead.push(following);
    yield batch;
  }
}

async function copiesOf(
  rows: readonly LedgerRow[],
  worm: TenantWorm,
  nowMs: () => number,
): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const wanted = rows.filter((row) => row.worm_sha256 !== undefined);
  for (let poll = 0; poll < COPY_POLLS; poll++) {
    const missing = wanted.filter((row) => !found.has(row.worm_sha256 as string));
    const awaited = poll === 0 ? missing : missing.filter((row) => row.recorded_at.getTime() > nowMs() - COPY_GRACE_MS);
    if (awaited.length === 0) return found;
    if (poll > 0) await delay(COPY_POLL_MS);
    const hashes = awaited.map((row) => row.worm_sha256 as string);
    for (const [sha256, bytes] of await worm.readRecords(hashes)) found.set(sha256, bytes);
  }
  return found;
}
