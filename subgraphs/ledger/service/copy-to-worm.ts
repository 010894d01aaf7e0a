import type { Logger } from '../../../shared/telemetry/logger.js';
import { MAX_GROUP_EVENTS, MAX_UNCOPIED_GROUPS } from './partition-writer.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { TenantContext, TenantContexts } from './tenant-context.js';

const BATCH_ROWS = 500;
/** Rows looked at in one run and chain; the next run goes on from there. */
const MAX_ROWS_A_RUN = 100_000;
/** A crash can leave this many of a chain's last rows uncopied for each process that wrote to it; eight are allowed for. */
const RECENT_ROWS = 8 * (MAX_UNCOPIED_GROUPS + 1) * MAX_GROUP_EVENTS;

export interface CopierDeps {
  readonly store: LedgerStore;
  readonly contexts: TenantContexts;
  readonly logger: Logger;
}

/** The tailer of evidence.md section 3: copies to the write-once store what a crash kept from it. */
export interface WormCopier {
  /** Looks at the last rows of every chain; what an earlier process left behind is copied when it resolves. */
  copyRecent(): Promise<number>;
  /** Goes on from where the last run ended; returns how many records were missing. Ends between chains when told to. */
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
    if (copied > 0) deps.logger.warn({ copied }, 'records copied that the write-once store lacked');
    return copied;
  };
  return {
    copyRecent: () => overChains(copyRecentOf),
    copyAll: (signal) => overChains((tenant, source) => copyChain(tenant, source, MAX_ROWS_A_RUN), signal),
  };
}

/** From the mark; only rows that are all there move it. */
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

/** A record that no longer hashes to its name is not copied: verification names it, and nothing is healed silently. */
async function copyRows(tenant: TenantContext, sourceSystem: string, sequences: readonly number[]): Promise<number> {
  const records = await tenant.ledger.records(sourceSystem, sequences);
  await tenant.worm.putRecords(records);
  return records.length;
}
