import { conflictDraft } from './append-events.js';
import type { OpenExceptions } from './open-exception.js';
import type { ConflictStore } from './ports/conflict-store.js';
import type { Chain } from './ports/consumer-cursors.js';
import type { LedgerStore } from './ports/ledger-store.js';

export interface ConflictDeps {
  readonly store: LedgerStore;
  readonly conflicts: ConflictStore;
  readonly openExceptions: OpenExceptions;
}

const ROWS_AT_ONCE = 500;

/**
 * Opens SOURCE_RECORD_CONFLICT for what a crash between append and opening has lost. The mark stands in the event's own
 * row, and the exception is named after the event: one that was opened, whatever became of it, is not opened again.
 */
export async function openLostConflicts(deps: ConflictDeps, signal: AbortSignal): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    const done = await deps.conflicts.doneUpTo(tenantId);
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      if (signal.aborted) return;
      await openOfChain(deps, { tenantId, sourceSystem }, done.get(sourceSystem) ?? 0);
    }
  }
}

async function openOfChain(deps: ConflictDeps, chain: Chain, afterSeq: number): Promise<void> {
  for (let seq = afterSeq; ; ) {
    const rows = await deps.conflicts.marked(chain, seq, ROWS_AT_ONCE);
    const last = rows.at(-1);
    if (!last) return;
    await deps.openExceptions(
      chain.tenantId,
      rows.map((row) => conflictDraft(row.event_id, chain.sourceSystem, row._id.seq, row.conflicts_with ?? [])),
    );
    seq = last._id.seq;
    // Opened first: a crash in between opens them again, which changes nothing.
    await deps.conflicts.markDone(chain, seq);
  }
}
