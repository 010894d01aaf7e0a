import { sha256Hex } from '../../../shared/crypto/hash.js';
import { entryHash } from '../../../shared/evidence/chain.js';
import type { Committer } from '../../../shared/evidence/commitments.js';
import { type BuiltRecord, rebuildRecord } from '../../../shared/evidence/record.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { type DuplicateKeys, factKey } from './duplicate-key.js';
import { type LedgerRow, queryFieldsOf, sameQueryFields } from './ledger-row.js';

/** Everything that can be wrong with a chain, by name. */
export const BREAK_KINDS = [
  'GENESIS_MISMATCH',
  'SEQUENCE_GAP',
  'LINK_MISMATCH',
  'TIME_REVERSED',
  'ENTRY_HASH_MISMATCH',
  'RECORD_MISSING',
  'RECORD_MISMATCH',
  'RECORD_NOT_CANONICAL',
  'COMMIT_MISMATCH',
  'FIELDS_MISMATCH',
  'IDENTITY_MISMATCH',
  'QUERY_FIELDS_MISMATCH',
  'DUPLICATE_KEY_MISMATCH',
  'WORM_MISSING',
  'WORM_MISMATCH',
  'TREE_MISSING',
  'TREE_MISMATCH',
  'CHECKPOINT_GAP',
  'CHECKPOINT_MISMATCH',
  'CHECKPOINT_SIGNATURE',
  'SEGMENT_MISMATCH',
  'SEGMENT_SIGNATURE',
] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

export interface Break {
  readonly kind: BreakKind;
  /** Null for what concerns no single chain. */
  readonly source_system: string | null;
  readonly sequence: number | null;
  readonly event_id: string | null;
  readonly detail: string;
}

/** What a link covers, and where it stands. */
export type HeaderRow = Omit<LedgerRow, 'record' | 'seed' | 'worm_sha256' | 'fact_key' | 'duplicate_key' | 'query'>;

export interface ChainContext {
  readonly tenantId: string;
  readonly sourceSystem: string;
  /** prev of the first entry looked at: the genesis, or the entry_hash before the range; null when that is gone. */
  readonly expectedPrev: string | null;
  readonly fromSequence: number;
  /** recorded_at of the entry before, where it was looked at. */
  readonly lastRecordedAtMs?: number;
  readonly committer: Committer;
  readonly duplicateKeys: DuplicateKeys;
}

/** Checks one chain, row by row in sequence, in constant memory. Values are compared, not only hashes. */
export class ChainVerifier {
  readonly #context: ChainContext;
  #expectedSequence: number;
  #expectedPrev: string | null;
  #lastRecordedAtMs: number;
  #checked = 0;
  #headHash: string | null = null;
  #breaks: Break[] = [];

  constructor(context: ChainContext) {
    this.#context = context;
    this.#expectedSequence = context.fromSequence;
    this.#expectedPrev = context.expectedPrev;
    this.#lastRecordedAtMs = context.lastRecordedAtMs ?? Number.NEGATIVE_INFINITY;
  }

  get checked(): number {
    return this.#checked;
  }

  get headHash(): string | null {
    return this.#headHash;
  }

  get lastSequence(): number {
    return this.#expectedSequence - 1;
  }

  get lastRecordedAtMs(): number {
    return this.#lastRecordedAtMs;
  }

  /** The range is read: what should have come after the last row found is missing. */
  finish(lastSequence: number): void {
    if (this.#expectedSequence > lastSequence) return;
    this.#reportGap(`No entry was found from here to ${lastSequence}.`);
  }

  /** The header alone: place, link, time and hash. */
  checkHeader(row: HeaderRow): void {
    this.#checked++;
    this.#checkPlace(row);
    this.#checkHash(row);
    this.#moveTo(row);
  }

  /** Breaks found since the last call. */
  takeBreaks(): readonly Break[] {
    const found = this.#breaks;
    this.#breaks = [];
    return found;
  }

  /**
   * @param wormCopy what the write-once store holds under the row's hash, unjudged.
   * @param isExplained an entry of `_system` says that the row's content was disposed of.
   */
  check(row: LedgerRow, wormCopy: Buffer | undefined, isExplained = false): void {
    this.#checked++;
    this.#checkPlace(row);
    this.#checkHash(row);
    if (isExplained && isBare(row)) {
      // Its header was compared: that is all there is of it, and the entry that says so stands in a chain of its own.
    } else if (row.record === undefined || row.seed === undefined || row.worm_sha256 === undefined) {
      this.#report('RECORD_MISSING', row, 'The record is gone, and no entry explains it.');
    } else {
      this.#checkRecord(row, row.record, row.seed);
      this.#checkWorm(row, row.record, wormCopy);
    }
    this.#moveTo(row);
  }

  #moveTo(row: HeaderRow): void {
    this.#expectedSequence = row._id.seq + 1;
    this.#expectedPrev = row.entry_hash;
    this.#lastRecordedAtMs = row.recorded_at.getTime();
    this.#headHash = row.entry_hash;
  }

  #checkPlace(row: HeaderRow): void {
    const { seq } = row._id;
    if (seq !== this.#expectedSequence) {
      this.#reportGap(`Expected sequence ${this.#expectedSequence}; the next entry found is ${seq}.`);
    } else if (this.#expectedPrev !== null && row.prev_hash !== this.#expectedPrev) {
      if (seq === 1) this.#report('GENESIS_MISMATCH', row, "The first entry does not follow this chain's genesis.");
      else this.#report('LINK_MISMATCH', row, 'prev_hash is not the hash of the entry before.');
    }
    if (row.recorded_at.getTime() < this.#lastRecordedAtMs) {
      this.#report('TIME_REVERSED', row, 'recorded_at is before that of the entry before.');
    }
  }

  #checkHash(row: HeaderRow): void {
    const { tenantId, sourceSystem } = this.#context;
    if (row.tenant_id !== tenantId || row.source_system !== sourceSystem) {
      this.#report('IDENTITY_MISMATCH', row, 'The row stands under another tenant or source system than its key says.');
    }
    const time = row.recorded_at.getTime();
    const recomputed = Number.isNaN(time)
      ? null
      : entryHash({
          commit: row.commit,
          event_id: row.event_id,
          fields: row.fields,
          prev: row.prev_hash,
          recorded_at: row.recorded_at.toISOString(),
          seq: row._id.seq,
          source_system: sourceSystem,
          tenant_id: tenantId,
        });
    if (recomputed !== row.entry_hash)
      this.#report('ENTRY_HASH_MISMATCH', row, 'entry_hash is not the hash of the header.');
  }

  #checkRecord(row: LedgerRow, record: Buffer, seed: Buffer): void {
    const text = record.toString('utf8');
    const members = membersOf(text);
    if (members === undefined) {
      this.#report('RECORD_MISMATCH', row, 'The record is no JSON object.');
      return;
    }
    const omitTime = row.fact_key?.endsWith('\u0000') === true;
    const built = rebuildRecord(members, omitTime);
    const made = this.#context.committer.commit(seed, record, built.leaves);
    if (made.worm_sha256 !== row.worm_sha256)
      this.#report('RECORD_MISMATCH', row, 'The record does not hash to worm_sha256.');
    if (made.commit !== row.commit) this.#report('COMMIT_MISMATCH', row, 'The record does not fit its commitment.');
    if (made.fields !== row.fields) this.#report('FIELDS_MISMATCH', row, 'The fields do not fit their commitment.');
    if (built.text !== text) {
      this.#report('RECORD_NOT_CANONICAL', row, 'The record is not in canonical form.');
    }
    this.#checkValues(row, members, built, omitTime);
  }

  /** The columns beside the record must say what the record says: queries are answered from them. */
  #checkValues(row: LedgerRow, members: JsonObject, built: BuiltRecord, omitTime: boolean): void {
    const { tenantId, sourceSystem, duplicateKeys } = this.#context;
    if (
      members['event_id'] !== row.event_id ||
      members['tenant_id'] !== tenantId ||
      members['source_system'] !== sourceSystem
    ) {
      this.#report('IDENTITY_MISMATCH', row, 'The record names another event, tenant or source system than its row.');
    }
    const query = queryFieldsOf(members);
    if (row.query === undefined || !sameQueryFields(row.query, query)) {
      this.#report('QUERY_FIELDS_MISMATCH', row, 'The stored query fields differ from the record.');
    }
    const fact = factKey(
      String(members['source_record_id']),
      query.event_type,
      omitTime ? null : query.effective_at.getTime(),
    );
    if (row.fact_key !== fact || row.duplicate_key !== duplicateKeys.of(built.sent)) {
      this.#report('DUPLICATE_KEY_MISMATCH', row, 'The keys that stop duplicates differ from the record.');
    }
  }

  #checkWorm(row: LedgerRow, record: Buffer, copy: Buffer | undefined): void {
    if (copy === undefined) {
      this.#report('WORM_MISSING', row, 'The write-once store has no copy of the record.');
    } else if (!copy.equals(record) && sha256Hex(copy) !== row.worm_sha256) {
      // Equal bytes were hashed with the record above; only a copy that differs is hashed by itself.
      this.#report('WORM_MISMATCH', row, 'The write-once copy does not hash to its name.');
    }
  }

  #subject(row: HeaderRow): { source_system: string; sequence: number; event_id: string } {
    return { source_system: this.#context.sourceSystem, sequence: row._id.seq, event_id: row.event_id };
  }

  #reportGap(detail: string): void {
    const place = { source_system: this.#context.sourceSystem, sequence: this.#expectedSequence, event_id: null };
    this.#breaks.push({ kind: 'SEQUENCE_GAP', ...place, detail });
  }

  #report(kind: BreakKind, row: HeaderRow, detail: string): void {
    this.#breaks.push({ kind, ...this.#subject(row), detail });
  }
}

/** Nothing is left of the record: neither bytes nor what was derived from them. */
export const isBare = ({ record, seed, worm_sha256, fact_key, duplicate_key, query }: LedgerRow): boolean =>
  [record, seed, worm_sha256, fact_key, duplicate_key, query].every((member) => member === undefined);

function membersOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Reported by the caller as RECORD_MISMATCH.
    return undefined;
  }
}
