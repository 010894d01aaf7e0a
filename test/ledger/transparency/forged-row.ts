import { sha256Hex } from '../../../shared/crypto/hash.js';
import { entryHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/index.js';

const committer = new Committer();

/** Replaces each occurrence of a text in the record, and computes every hash of the row again: it agrees with itself. */
export function forgedRow(row: LedgerRow, [from, to]: readonly [string, string], prev = row.prev_hash): LedgerRow {
  const record = Buffer.from(String(row.record).replaceAll(from, to));
  const commit = committer.recordCommit(row.seed ?? Buffer.alloc(0), record);
  const next = { ...row, record, commit, prev_hash: prev, worm_sha256: sha256Hex(record) };
  const { _id, event_id, fields, member_tag } = next;
  const recorded_at = row.recorded_at.toISOString();
  return { ...next, entry_hash: entryHash({ commit, event_id, fields, member_tag, prev, recorded_at, ..._id }) };
}
