import type { Logger } from '../../../shared/telemetry/logger.js';
import {
  type LedgerStore,
  MAX_GROUP_EVENTS,
  MAX_UNCOPIED_GROUPS,
  type TenantContext,
  type TenantContexts,
} from '../append/index.js';

const BATCH_ROWS = 500;
/** Rows read per run and chain; the next run continues after them. */
const MAX_ROWS_A_RUN = 100_000;
/**
 * A crash can leave this many of a chain's last rows uncopied per process that wrote to it; eight processes are allowed
 * for.
 */
const RECENT_ROWS = 8 * (MAX_UNCOPIED_GROUPS + 1) * MAX_GROUP_EVENTS;

interface CopierDeps {
  readonly store: LedgerStore;
  readonly contexts: TenantContexts;
  readonly logger: Logger;
}

/** The copier of evidence.md section 3: copies records to the write-once store that a crash left out of it. */
interface WormCopier {
  /** Reads the last rows of every chain; when it resolves, everything that an earlier process left behind is copied. */
  copyRecent(): Promise<number>;
  /**
   * Continues where the last run ended; returns the number of missing records. Stops between chains when the signal
   * aborts.
   */
  copyAll(signal?: AbortSignal): Promise<number>;
}

export function wormCopier(deps: CopierDeps): WormCopier {
  const overChains = async (
    copy: (tenant: TenantContext, sourceSystem: string) => Promise<number>,
    signal?: AbortSignal,
  ): Promise<number> => {
    let copied = 0;
    for await (const tenantId of deps.store.tenantIds()) {
      const tenant = await deps.contexts.of(tenantId);
      for (const sourceSystem of await tenant.ledger.sourceSystems()) {
        if (signal?.aborted) return copied;
        copied += await copy(tenant, sourceSystem);
      }
    }
    if (copied > 0) deps.logger.warn({ copied }, 'copied records that the write-once store lacked');
    return copied;
  };
  return {
    copyRecent: () => overChains(copyRecentOf),
    copyAll: (signal) => overChains((tenant, source) => copyChain(tenant, source, MAX_ROWS_A_RUN), signal),
  };
}

/** Continues from the mark; only fully copied rows advance it. */
async function copyChain(tenant: TenantContext, sourceSystem: string, maxRows: number): Promise<number> {
  const from = (await tenant.ledger.copiedUpTo(sourceSystem)) + 1;
  const { last, copied } = await copyRange(tenant, sourceSystem, from, maxRows);
  if (last >= from) await tenant.ledger.markCopied(sourceSystem, last);
  return copied;
}

async function copyRecentOf(tenant: TenantContext, sourceSystem: string): Promise<number> {
  const head = await tenant.ledger.head(sourceSystem);
  const marked = await tenant.ledger.copiedUpTo(sourceSystem);
  const from = Math.max(marked, (head?._id.seq ?? 0) - RECENT_ROWS) + 1;
  const { last, copied } = await copyRange(tenant, sourceSystem, from, RECENT_ROWS);
  if (from === marked + 1 && last >= from) await tenant.ledger.markCopied(sourceSystem, last);
  return copied;
}

async function copyRange(
  tenant: TenantContext,
  sourceSystem: string,
  from: number,
  maxRows: number,
): Promise<{ readonly last: number; readonly copied: number }> {
  let last = from - 1;
  let copied = 0;
  for (let seen = 0; seen < maxRows; ) {
    const hashes = await tenant.ledger.wormHashes(sourceSystem, last + 1, BATCH_ROWS);
    const final = hashes.at(-1);
    if (!final) break;
    const present = await tenant.worm.presentRecords(hashes.flatMap((row) => row.worm_sha256 ?? []));
    const missing = hashes.flatMap(({ seq, worm_sha256 }) => (worm_sha256 && !present.has(worm_sha256) ? [seq] : []));
    if (missing.length > 0) copied += await copyRows(tenant, sourceSystem, missing);
    seen += hashes.length;
    last = final.seq;
  }
  return { last, copied };
}

/**
 * Does not copy a record that differs from its hash: verification reports it, and the service repairs nothing silently.
 */
async function copyRows(tenant: TenantContext, sourceSystem: string, sequences: readonly number[]): Promise<number> {
  const records = await tenant.ledger.records(sourceSystem, sequences);
  await tenant.worm.putRecords(records);
  return records.length;
}
