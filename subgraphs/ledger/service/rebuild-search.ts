import { nextTurn } from '../../../shared/clock/timers.js';
import { type IndexDeps, indexRows } from './index-events.js';
import type { ConsumerCursors } from './ports/consumer-cursors.js';
import type { LedgerStore } from './ports/ledger-store.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

export interface RebuildDeps extends IndexDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly batchRows: number;
}

/** Told after each chain. */
export interface RebuiltChain {
  readonly tenantId: string;
  readonly sourceSystem: string;
  readonly events: number;
}

/**
 * Makes the whole index anew from the ledger, chain by chain. A service that runs meanwhile may index the same chains:
 * both write the same. Until a chain is done, searches miss its events, and tell how many they miss.
 */
export async function rebuildSearch(deps: RebuildDeps, tell: (chain: RebuiltChain) => void): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      tell({ tenantId, sourceSystem, events: await rebuildChain(deps, tenantId, sourceSystem) });
    }
  }
}

async function rebuildChain(deps: RebuildDeps, tenantId: string, sourceSystem: string): Promise<number> {
  const chain = { tenantId, sourceSystem };
  const ledger = deps.store.forTenant(tenantId);
  // The cursor before and after: if this ends early, the consumer makes the rest, and nothing that it made in between is
  // taken for done.
  await deps.cursors.reset(chain, deps.clock.nowMs());
  await deps.search(tenantId).clear(sourceSystem);
  await deps.cursors.reset(chain, deps.clock.nowMs());
  let seq = 0;
  for (;;) {
    const rows = await ledger.rows(sourceSystem, seq + 1, LAST_SEQ, deps.batchRows);
    const last = rows.at(-1);
    if (!last) break;
    await indexRows(deps, tenantId, rows);
    seq = last._id.seq;
    await nextTurn();
  }
  await deps.cursors.advance(chain, seq);
  return seq;
}
