import { isDeepStrictEqual } from 'node:util';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { type DuplicateKeys, type LedgerRow, linkRows, queryFieldsOf, uniqueKeysOf } from '../append/domain/index.js';
import type { MatchedEntry, ProvenPlace } from './match-entry.js';

/** What a row says besides its record and header; no hash covers it. */
interface RowOrigin {
  /** The service read the event from a raw message. */
  readonly fromRaw: boolean;
  /** The effective time is only the time of receipt. */
  readonly omitTime: boolean;
}

/**
 * Builds the row of a matched entry by the functions of an append: keys and query fields follow from the record.
 *
 * @throws Error if the row does not have the proven hash.
 */
export function restoredRow(
  { tenantId, sourceSystem, seq, entryHash, memberTags }: ProvenPlace,
  { material, members, eventId: event_id, prev, recordedAtMs, ...commitments }: MatchedEntry,
  duplicateKeys: DuplicateKeys,
  { fromRaw, omitTime }: RowOrigin,
): LedgerRow {
  const { record, seed } = material;
  const { commit, fields, worm_sha256 } = commitments;
  const { sent } = rebuildRecord(members, omitTime);
  const query = queryFieldsOf(members);
  const effectiveAtMs = omitTime ? null : query.effective_at.getTime();
  const keys = uniqueKeysOf(duplicateKeys, { members, sent, eventType: query.event_type, effectiveAtMs });
  const member_tag = memberTags.ofEntry(members);
  const event = { commit, fields, member_tag, worm_sha256, event_id, record, seed, ...keys, query };
  const head = { seq: seq - 1, entryHash: prev, recordedAtMs };
  const marks = fromRaw ? { from_raw: true as const } : {};
  const [row] = linkRows(tenantId, sourceSystem, head, recordedAtMs, [{ ...event, ...marks }]);
  if (row?.entry_hash !== entryHash) throw new Error('a restored row does not have its proven hash');
  return row;
}

/** Names the members in which a stored row differs from the restored one; `row` where there is none. */
export function differingMembers(stored: LedgerRow | null, restored: LedgerRow): readonly string[] {
  if (stored === null) return ['row'];
  const names = new Set([...Object.keys(stored), ...Object.keys(restored)]);
  const [before, after] = [new Map(Object.entries(stored)), new Map(Object.entries(restored))];
  return [...names].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name))).sort();
}
