import { delay } from '../../../shared/clock/timers.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import type { LedgerRow } from '../domain/ledger-row.js';

/** Rows of a chain and what the write-once store holds under their hashes. */
export interface CheckedBatch {
  readonly rows: readonly LedgerRow[];
  readonly copies: ReadonlyMap<string, Buffer>;
}

const BATCH_ROWS = 500;
/** A copy may still be on its way: ledger and write-once store are written at the same time. */
const COPY_GRACE_MS = 60_000;
const COPY_POLLS = 20;
const COPY_POLL_MS = 100;

/**
 * Pairs rows with their copies, one batch ahead of the consumer, in memory for two batches.
 *
 * @param nowMs tells which rows are young enough that a missing copy is waited for.
 */
export async function* rowBatches(
  rows: AsyncIterable<LedgerRow>,
  worm: TenantWorm,
  nowMs: () => number,
): AsyncGenerator<CheckedBatch> {
  const source = rows[Symbol.asyncIterator]();
  const fetch = async (): Promise<CheckedBatch> => {
    const batch: LedgerRow[] = [];
    while (batch.length < BATCH_ROWS) {
      const next = await source.next();
      if (next.done) break;
      batch.push(next.value);
    }
    return { rows: batch, copies: await copiesOf(batch, worm, nowMs) };
  };
  let ahead = fetch();
  try {
    for (;;) {
      const batch = await ahead;
      if (batch.rows.length === 0) return;
      ahead = fetch();
      // Awaited in the next round; a consumer that stops early leaves it unobserved.
      ahead.catch(() => {});
      yield batch;
    }
  } finally {
    await source.return?.();
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
