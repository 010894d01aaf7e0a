import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { entryHash } from '../../../../shared/evidence/chain.js';
import { Committer } from '../../../../shared/evidence/commitments.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import type { LedgerRow } from './ledger-row.js';
import { malformedField, malformedHeader } from './row-form.js';

const parsed = new WeakMap<Buffer, JsonObject>();

/**
 * Returns the parsed record of a row; undefined if it has none. Followers of the ledger in one process share the row
 * and get the same object; they must not change it.
 *
 * @param row a row that is not altered.
 */
export function contentOf({ record }: Pick<LedgerRow, 'record'>): JsonObject | undefined {
  if (record === undefined) return undefined;
  const known = parsed.get(record);
  if (known !== undefined) return known;
  const content: unknown = JSON.parse(record.toString('utf8'));
  if (!isJsonObject(content)) return undefined;
  parsed.set(record, content);
  return content;
}

const committer = new Committer();

/**
 * Checks whether a row with a record differs from what its chain holds: record, commitment, header and entry hash must
 * agree, and every field must be of its type. Reads, search, links and disposal must not use an altered row. False for a
 * well-formed row without a record.
 */
export function isAltered(row: LedgerRow): boolean {
  const { record } = row;
  if (malformedField(row) !== null) return true;
  return record !== undefined && !(hasEntryHash(row) && isCommitted(row, record));
}

/** Checks whether a row's header, with or without its record, is the one that the entry hash covers. */
export function isLinked(row: LedgerRow): boolean {
  return malformedHeader(row) === null && hasEntryHash(row);
}

function hasEntryHash(row: LedgerRow): boolean {
  const { _id, event_id, commit, fields, member_tag, prev_hash, entry_hash } = row;
  const recorded_at = row.recorded_at.toISOString();
  const header = { commit, event_id, fields, member_tag, prev: prev_hash, recorded_at };
  return entryHash({ ...header, ..._id }) === entry_hash;
}

function isCommitted({ seed, commit, worm_sha256 }: LedgerRow, record: Buffer): boolean {
  if (seed === undefined || sha256Hex(record) !== worm_sha256) return false;
  return committer.recordCommit(seed, record) === commit;
}
