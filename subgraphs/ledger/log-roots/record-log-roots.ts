import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { HASH_BYTES } from '../../../shared/merkle/hashes.js';
import { sound } from '../../../shared/records/sound-rows.js';
import type { LedgerStore } from '../append/index.js';
import type { TreeStore } from '../transparency/index.js';
import { type LogNote, leavesOver, rootOver } from './domain.js';
import type { LogRoots, LogRootsRow } from './ports.js';

/** One leaf of the operator's log is made a period. */
const PERIOD_MS = 3_600_000;

export const LOG_ROOTS_TYPE = 'ledger.log_roots';

interface RecordDeps {
  readonly clock: Clock;
  readonly store: Pick<LedgerStore, 'tenantIds'>;
  readonly trees: TreeStore;
  readonly roots: LogRoots;
  /** Appends to the operator's ledger; the same entry again changes nothing. */
  readonly append: (entry: SystemEntry) => Promise<unknown>;
}

/**
 * Records the root over the newest notes of all tenants' logs in the operator's log, once a period where one of them is new:
 * one outside copy of the operator's note then covers every tenant (docs/checkpoints.md "One note for all"). The row comes
 * first, so that a crash repeats the same entry.
 */
export async function recordLogRoots(deps: RecordDeps, signal: AbortSignal): Promise<void> {
  const { clock, roots } = deps;
  const nowMs = clock.nowMs();
  const period = isoTime(Math.floor(nowMs / PERIOD_MS) * PERIOD_MS);
  const stored = await roots.get(period);
  if (stored?.is_appended) return;
  const row = stored ?? (await made(deps, period, nowMs, signal));
  if (row === null) return;
  await deps.append(entryOf(row));
  await roots.appendedNow(period);
}

/** @returns null where there is nothing new. */
async function made(
  { store, trees, roots }: RecordDeps,
  period: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<LogRootsRow | null> {
  const notes: LogNote[] = [];
  for await (const tenantId of store.tenantIds()) {
    if (signal.aborted) return null;
    if (tenantId === OPERATOR_TENANT) continue;
    // A damaged checkpoint is reported by its reader, and is no note to vouch for.
    const latest = await sound(() => trees(tenantId as TenantId).latestCheckpoint());
    if (latest) notes.push(latest);
  }
  const leaves = leavesOver(notes);
  const root_hash = rootOver(leaves).toString('hex');
  if (notes.length === 0 || (await roots.newest())?.root_hash === root_hash) return null;
  const recorded_at = new Date(nowMs);
  return roots.save({ _id: period, recorded_at, root_hash, leaves: Buffer.concat(leaves), is_appended: false });
}

/** How the entry of a period is named. */
export const recordIdOf = (period: string): string => `log-roots/${period}`;

const entryOf = ({ _id, recorded_at, root_hash, leaves }: LogRootsRow): SystemEntry => ({
  source_system: '_system',
  source_record_id: recordIdOf(_id),
  event_family: 'ledger',
  event_type: LOG_ROOTS_TYPE,
  event_effective_timestamp: isoTime(recorded_at.getTime()),
  payload: { period: _id, logs: leaves.length / HASH_BYTES, root_hash },
});
