import { entryHash } from '../../../../shared/evidence/chain.js';
import type { Commitments } from '../../../../shared/evidence/commitments.js';
import type { LedgerRow, QueryFields, RowMarks } from './ledger-row.js';

/** The entry that the next one links to: the last acknowledged entry, or the genesis with seq 0. */
export interface ChainHead {
  readonly seq: number;
  readonly entryHash: string;
  readonly recordedAtMs: number;
}

/** The content of an entry before it has a place. */
interface Linkable extends Commitments, RowMarks {
  readonly member_tag: string | null;
  readonly event_id: string;
  readonly record: Buffer;
  readonly seed: Buffer;
  readonly fact_key: string;
  readonly duplicate_key: string;
  readonly query: QueryFields;
}

/**
 * Gives events their places after `head`. Within a chain recorded_at never decreases, even if the clock does
 * (evidence.md section 2): the order is by seq, never by time.
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
    const { commit, fields, member_tag, event_id } = event;
    const header = { commit, event_id, fields, member_tag, prev, recorded_at: recordedText, seq };
    const hash = entryHash({ ...header, source_system: sourceSystem, tenant_id: tenantId });
    const row: LedgerRow = {
      _id: { tenant_id: tenantId, source_system: sourceSystem, seq },
      tenant_id: tenantId,
      source_system: sourceSystem,
      event_id,
      recorded_at: recordedAt,
      commit,
      fields,
      member_tag,
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

/** Most events have no marks; their rows are built in one step. */
function marked(row: LedgerRow, { conflicts_with, from_raw }: RowMarks): LedgerRow {
  if (conflicts_with === undefined && from_raw === undefined) return row;
  return {
    ...row,
    ...(conflicts_with === undefined ? {} : { conflicts_with }),
    ...(from_raw === undefined ? {} : { from_raw }),
  };
}
