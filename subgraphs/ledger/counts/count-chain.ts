import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { LedgerStore } from '../append/index.js';
import type { CountDeps } from './count-events.js';
import { BLOCK_ENTRIES, coverOf, endOf, gapsOf, MAX_MERGED_CELLS, mergesOf } from './domain/blocks.js';
import { EventTally } from './domain/event-tally.js';
import type { CountBlock, TenantCounts } from './ports.js';

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Tally of the unfinished end of a chain, and the place where it continues: entries before `nextSeq` are not read
 * again.
 */
interface Tail {
  readonly fromSeq: number;
  readonly nextSeq: number;
  readonly tally: EventTally;
}

/** Tails kept in this process; a dropped one costs reading at most 999 entries. */
const MAX_TAILS = 5_000;

/**
 * Tallies of chains: stored blocks, and the end of the chain that fills no block yet. It stores the blocks that it
 * completes, so that the next reader in any process need not count them again. Nothing depends on a stored block.
 */
export class ChainCounter {
  readonly #tails = new Map<string, Tail>();

  /** Returns the tally of a whole chain. */
  async tally(tenantId: string, counts: TenantCounts, sourceSystem: string): Promise<EventTally> {
    const { cover, covered } = coverOf(await counts.blocks(sourceSystem));
    const whole = new EventTally();
    const fresh: CountBlock[] = [];
    for (const block of cover) whole.addText(block.tally);
    for (const { from, to } of gapsOf(cover)) {
      for (let at = from; at <= to; at += BLOCK_ENTRIES) {
        const rows = await counts.rows(sourceSystem, at, Math.min(to, at + BLOCK_ENTRIES - 1), BLOCK_ENTRIES);
        const tally = EventTally.of(rows);
        whole.addAll(tally);
        if (rows.length === BLOCK_ENTRIES) fresh.push(await kept(counts, sourceSystem, at, tally));
      }
    }
    whole.addAll(await this.#tail(tenantId, counts, sourceSystem, endOf(cover) + 1, fresh));
    await keepMerged(counts, sourceSystem, coverOf([...cover, ...fresh]).cover);
    await counts.drop(sourceSystem, covered);
    return whole;
  }

  async #tail(
    tenantId: string,
    counts: TenantCounts,
    sourceSystem: string,
    fromSeq: number,
    fresh: CountBlock[],
  ): Promise<EventTally> {
    const key = `${tenantId}/${sourceSystem}`;
    const known = this.#tails.get(key);
    const whole = new EventTally();
    let tail = known?.fromSeq === fromSeq ? known : { fromSeq, nextSeq: fromSeq, tally: new EventTally() };
    for (;;) {
      const left = tail.fromSeq + BLOCK_ENTRIES - tail.nextSeq;
      const rows = await counts.rows(sourceSystem, tail.nextSeq, LAST_SEQ, left);
      // Another reader may hold the kept tally: add to a copy.
      const tally = rows.length === 0 ? tail.tally : EventTally.of(rows);
      if (tally !== tail.tally) tally.addAll(tail.tally);
      tail = { fromSeq: tail.fromSeq, nextSeq: tail.nextSeq + rows.length, tally };
      if (rows.length < left) break;
      fresh.push(await kept(counts, sourceSystem, tail.fromSeq, tally));
      whole.addAll(tally);
      tail = { fromSeq: tail.nextSeq, nextSeq: tail.nextSeq, tally: new EventTally() };
    }
    whole.addAll(tail.tally);
    this.#remember(key, tail);
    return whole;
  }

  #remember(key: string, tail: Tail): void {
    this.#tails.delete(key);
    this.#tails.set(key, tail);
    if (this.#tails.size <= MAX_TAILS) return;
    const oldest = this.#tails.keys().next();
    if (!oldest.done) this.#tails.delete(oldest.value);
  }
}

async function kept(
  counts: TenantCounts,
  sourceSystem: string,
  fromSeq: number,
  tally: EventTally,
): Promise<CountBlock> {
  const block = { from_seq: fromSeq, size: BLOCK_ENTRIES, tally: tally.toText() };
  await counts.keep(sourceSystem, block);
  return block;
}

/** Stores the larger block before it drops the parts: a concurrent reader finds both and uses the larger one. */
async function keepMerged(counts: TenantCounts, sourceSystem: string, blocks: readonly CountBlock[]): Promise<void> {
  let cover = blocks;
  for (;;) {
    const merged: CountBlock[] = [];
    for (const { from_seq, size, parts } of mergesOf(cover)) {
      const tally = new EventTally();
      for (const part of parts) tally.addText(part.tally);
      if (tally.size > MAX_MERGED_CELLS) continue;
      const block = { from_seq, size, tally: tally.toText() };
      await counts.keep(sourceSystem, block);
      await counts.drop(sourceSystem, parts);
      merged.push(block);
    }
    if (merged.length === 0) return;
    cover = coverOf([...cover, ...merged]).cover;
  }
}

/**
 * Stores tallies of new entries, so that dashboards need not wait for counting. Stops between chains when the signal
 * aborts.
 */
export async function keepTallies(
  deps: CountDeps & { readonly store: LedgerStore },
  signal: AbortSignal,
): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    const counts = deps.counts(tenantId);
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      if (signal.aborted) return;
      if (!isReservedSourceSystem(sourceSystem)) await deps.chains.tally(tenantId, counts, sourceSystem);
    }
  }
}
