import { entryHash } from '../../../shared/evidence/chain.js';
import type { Commitments } from '../../../shared/evidence/commitments.js';
import type { LedgerRow, QueryFields, RowMarks } from './ledger-row.js';

/** The place that the next entry is linked to: the last acknowledged one, or the genesis with seq 0. */
export interface ChainHead {
  readonly seq: number;
  readonly entryHash: string;
  readonly recordedAtMs: number;
}

/** What an entry is made of before it has a place. */
export interface Linkable extends Commitments, RowMarks {
  readonly event_id: string;
  readonly record: Buffer;
  readonly seed: Buffer;
  readonly fact_key: string;
  readonly duplicate_key: string;
  readonly query: QueryFields;
}

/**
 * Gives events their places after `head`. recorded_at never goes back within a chain, whatever the clock does
 * (evidence.md section 2): order is by seq, never by time.
 */
export function linkRows(
  tenantId: string,
  sourceSystem: string,
  head: ChainHead,
  nowMs: number,
  events: readonly Linkable[],
): LedgerRow[] {
  const recordedAt = new Date(Math.max(nowMs, head.recordedAtMs));
  const recordedText = recordedAt.toISOString();
  let { seq, entryHash: prev } = head;
  return events.map((event) => {
    seq++;
    const { commit, fields, event_id } = event;
    const header = { commit, event_id, fields, prev, recorded_at: recordedText, seq };
    const hash = entryHash({ ...header, source_system: sourceSystem, tenant_id: tenantId });
    const row: LedgerRow = {
      _id: { tenant_id: tenantId, source_system: sourceSystem, seq },
      tenant_id: tenantId,
      source_system: sourceSystem,
      event_id,
      recorded_at: recordedAt,
      commit,
      fields,
      prev_hash: prev,
      entry_hash: hash,
      record: event.record,
      seed: event.seed,
      worm_sha256: event.worm_sha256,
      fact_key: event.fact_key,
      duplicate_key: event.duplicate_key,
      query: event.query,
    };
    prev = hash;
    return marked(row, event);
  });
}

/** Most events have no mark, and their rows are made in one piece. */
function marked(row: LedgerRow, { conflicts_with, from_raw }: RowMarks): LedgerRow {
  if (conflicts_with === undefined && from_raw === undefined) return row;
  return {
    ...row,
    ...(conflicts_with === undefined ? {} : { conflicts_with }),
    ...(from_raw === undefined ? {} : { from_raw }),
  };
}
