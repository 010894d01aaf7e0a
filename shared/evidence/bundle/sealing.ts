import { canonicalJson } from '../../json/canonical.js';
import type { JsonValue } from '../../json/strict-json.js';
import type { BlockProof } from './inclusion.js';

/** The header of an entry, as the ledger stores it. */
interface StoredHeader {
  readonly commit: string;
  readonly event_id: string;
  readonly fields: string;
  readonly member_tag: string | null;
  readonly prev_hash: string;
  readonly recorded_at: string;
  readonly seq: number;
  readonly source_system: string;
}

/** What proves the fact `bundle.sealing`: its disclosed fields, its header, and its place under a later checkpoint. */
export interface SealingProof {
  /** A redacted line, as in proofs/facts.jsonl. */
  readonly act: string;
  readonly record: StoredHeader;
  readonly tree_index: number;
  readonly proof: BlockProof;
  readonly note: string;
}

/** The text of proofs/sealing.json (docs/evidence.md section 5). */
export function sealingText({ act, record, tree_index, proof, note }: SealingProof): string {
  const { commit, event_id, fields, member_tag, prev_hash: prev, recorded_at, seq, source_system } = record;
  const { block, nodes, path } = proof;
  return canonicalJson({
    act: JSON.parse(act) as JsonValue,
    header: { commit, event_id, fields, member_tag, prev, recorded_at, seq, source_system },
    note,
    proof: { block, nodes: [...nodes], path: [...path] },
    tree_index,
  });
}
