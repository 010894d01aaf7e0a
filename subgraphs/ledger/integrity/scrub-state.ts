import { isoTime } from '../../../shared/clock/clock.js';
import type { IntegrityState } from '../../../shared/contracts/ledger-counters.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { ReconcileRow, ScrubRow, TenantIntegrity } from './ports.js';

/** Progress of the checks of a tenant's evidence. */
export async function integrityState(
  { upkeep, integrity }: { readonly upkeep: Pick<WormUpkeep, 'segments'>; readonly integrity: TenantIntegrity },
  nowMs: number,
): Promise<IntegrityState> {
  const segments = await upkeep.segments();
  const { scrub, reconciled } = await integrity.sums();
  const inState = (state: string): number => segments.filter((segment) => segment.state === state).length;
  return {
    segments: { open: inState('OPEN'), full: inState('FULL'), sealed: inState('SEALED') },
    scrub: scrubState(scrub, nowMs),
    reconciliation: reconciliationState(reconciled),
  };
}

function scrubState(row: ScrubRow | null, nowMs: number): IntegrityState['scrub'] {
  const counts = row?.place ? row.counts : row?.finished;
  const under = row?.place ? row : null;
  return {
    started_at: under && isoTime(under.cycle_started_at.getTime()),
    progress_percent: under && percent(under.counts.bytes, under.planned_bytes),
    finished_at: row?.finished ? isoTime(row.finished.finished_at.getTime()) : null,
    records: counts?.records ?? 0,
    blobs: counts?.blobs ?? 0,
    bytes: counts?.bytes ?? 0,
    damaged: counts?.damaged ?? 0,
    unexplained: counts?.unexplained ?? 0,
    oldest_unverified_seconds: row && Math.max(0, Math.floor((nowMs - readSince(row)) / 1000)),
  };
}

/**
 * Everything older than the start of the last complete walk was read since. Without one, unread records may be as old
 * as the first.
 */
const readSince = ({ finished, first_started_at }: ScrubRow): number =>
  (finished?.started_at ?? first_started_at).getTime();

/** Records written meanwhile are read too, so that there may be more than planned. */
const percent = (done: number, planned: number): number =>
  planned === 0 ? 100 : Math.min(100, Math.floor((100 * done) / planned));

function reconciliationState(rows: readonly ReconcileRow[]): IntegrityState['reconciliation'] {
  const passed = rows.flatMap(({ passed_at }) => passed_at?.getTime() ?? []);
  return {
    chains: passed.length,
    passed_at: rows.length > 0 && passed.length === rows.length ? isoTime(Math.min(...passed)) : null,
    repaired: rows.reduce((sum, { repaired }) => sum + repaired, 0),
  };
}
