import { entryHash } from '../../../../shared/evidence/chain.js';
import type { Committer } from '../../../../shared/evidence/commitments.js';
import type { MemberTags } from '../../../../shared/evidence/member-tag.js';
import { type BuiltRecord, rebuildRecord } from '../../../../shared/evidence/record.js';
import { objectIn } from '../../../../shared/json/object-in.js';
import { shortText } from '../../../../shared/json/short-text.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import {
  type DuplicateKeys,
  type LedgerRow,
  malformedField,
  malformedHeader,
  queryFieldsOf,
  sameQueryFields,
  uniqueKeysOf,
} from '../../append/domain/index.js';
import type { LedgerBreak } from '../schema.js';
import { COPY_FAULTS, copyFault, type StoredCopy } from './write-once-copy.js';

/** Every kind of fault of a chain, by name. */
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
  'CHECKPOINT_REGRESS',
  'CHECKPOINT_SIGNATURE',
  'MAP_MISMATCH',
  'SEGMENT_MISMATCH',
  'SEGMENT_SIGNATURE',
  'ROW_MALFORMED',
  'ROW_DIFFERS',
  'ROW_MISSING',
  'FACT_MISSING',
] as const;
/** `headers`: places, links, hashes and leaves of entries, without records and their copies. */
export const VERIFY_DEPTHS = ['full', 'headers'] as const;

/** A fault; one that concerns no single chain has no place. */
export type Break = Readonly<LedgerBreak>;

/** The members of an entry that a link covers, and its place. */
export type HeaderRow = Omit<LedgerRow, 'record' | 'seed' | 'worm_sha256' | 'fact_key' | 'duplicate_key' | 'query'>;

interface ChainContext {
  readonly tenantId: string;
  readonly sourceSystem: string;
  /** `prev` of the first entry read: the genesis, or the entry_hash before the range; null if that entry is gone. */
  readonly expectedPrev: string | null;
  readonly fromSequence: number;
  /** recorded_at of the previous entry, if it was read. */
  readonly lastRecordedAtMs?: number;
  readonly committer: Committer;
  readonly duplicateKeys: DuplicateKeys;
  readonly memberTags: MemberTags;
}

/** Checks one chain, row by row in sequence, in constant memory. Compares values, not only hashes. */
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

  /** Ends the range: entries after the last row found are missing. */
  finish(lastSequence: number): void {
    if (this.#expectedSequence > lastSequence) return;
    this.#reportGap(`Entries are missing from here to ${lastSequence}.`);
  }

  /** Checks only the header: place, link, time and hash. */
  checkHeader(row: HeaderRow): void {
    this.#checked++;
    const field = malformedHeader(row);
    if (field !== null) {
      this.#pass(row, field);
      return;
    }
    this.#checkPlace(row);
    this.#checkHash(row);
    this.#moveTo(row);
  }

  /** Returns the breaks found since the last call. */
  takeBreaks(): readonly Break[] {
    const found = this.#breaks;
    this.#breaks = [];
    return found;
  }

  /**
   * @param wormCopy the unchecked record that the write-once store holds under the row's hash.
   * @param isExplained an entry of `_system` accounts for the disposal of the row's content.
   */
  check(row: LedgerRow, wormCopy: StoredCopy | undefined, isExplained = false): void {
    this.#checked++;
    const field = malformedField(row);
    if (field !== null) {
      this.#pass(row, field);
      return;
    }
    this.#checkPlace(row);
    this.#checkHash(row);
    if (isExplained && isBare(row)) {
      // Only its header exists and was compared; the entry that accounts for it is in another chain.
    } else if (row.record === undefined || row.seed === undefined || row.worm_sha256 === undefined) {
      this.#report('RECORD_MISSING', row, 'The record is missing, and no entry accounts for it.');
    } else {
      this.#checkContent(row, row.record, row.seed);
      this.#checkWorm(row, row.worm_sha256, wormCopy);
    }
    this.#moveTo(row);
  }

  /** Names a row with a value of a wrong type, and continues with the next row. */
  #pass({ _id, event_id, entry_hash, recorded_at }: HeaderRow, field: string): void {
    const { sourceSystem } = this.#context;
    const place = Number.isSafeInteger(_id.seq) ? _id.seq : null;
    if (place !== null && place > this.#expectedSequence) {
      this.#reportGap(`Expected sequence ${this.#expectedSequence}; the next entry found is ${place}.`);
    }
    this.#breaks.push({
      kind: 'ROW_MALFORMED',
      source_system: sourceSystem,
      sequence: place,
      event_id: typeof event_id === 'string' ? event_id : null,
      detail: `The field ${field} is missing or has a wrong type.`,
      collection: 'ledger',
      key: `${sourceSystem}/${shortText(_id.seq)}`,
      field,
    });
    if (place === null) return;
    this.#expectedSequence = place + 1;
    this.#expectedPrev = typeof entry_hash === 'string' ? entry_hash : null;
    this.#headHash = this.#expectedPrev;
    const time = recorded_at instanceof Date ? recorded_at.getTime() : Number.NaN;
    if (!Number.isNaN(time)) this.#lastRecordedAtMs = time;
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
      else this.#report('LINK_MISMATCH', row, 'prev_hash is not the hash of the previous entry.');
    }
    if (row.recorded_at.getTime() < this.#lastRecordedAtMs) {
      this.#report('TIME_REVERSED', row, 'recorded_at is before that of the previous entry.');
    }
  }

  #checkHash(row: HeaderRow): void {
    const { tenantId, sourceSystem } = this.#context;
    if (row.tenant_id !== tenantId || row.source_system !== sourceSystem) {
      this.#report('IDENTITY_MISMATCH', row, 'Tenant or source system of the row differ from its key.');
    }
    const recomputed = entryHash({
      commit: row.commit,
      event_id: row.event_id,
      fields: row.fields,
      member_tag: row.member_tag,
      prev: row.prev_hash,
      recorded_at: row.recorded_at.toISOString(),
      seq: row._id.seq,
      source_system: sourceSystem,
      tenant_id: tenantId,
    });
    if (recomputed !== row.entry_hash)
      this.#report('ENTRY_HASH_MISMATCH', row, 'entry_hash is not the hash of the header.');
  }

  #checkContent(row: LedgerRow, record: Buffer, seed: Buffer): void {
    try {
      this.#checkRecord(row, record, seed);
    } catch (error) {
      // Only a forged record holds values that cannot be put into canonical form.
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
      this.#report('RECORD_NOT_CANONICAL', row, 'The record holds a value without a canonical form.');
    }
  }

  #checkRecord(row: LedgerRow, record: Buffer, seed: Buffer): void {
    const text = record.toString('utf8');
    const members = objectIn(text);
    if (members === undefined) {
      this.#report('RECORD_MISMATCH', row, 'The record is not a JSON object.');
      return;
    }
    const omitTime = row.fact_key?.endsWith('\u0000') === true;
    const built = rebuildRecord(members, omitTime);
    const made = this.#context.committer.commit(seed, record, built.leaves);
    if (made.worm_sha256 !== row.worm_sha256)
      this.#report('RECORD_MISMATCH', row, 'The hash of the record is not worm_sha256.');
    if (made.commit !== row.commit) this.#report('COMMIT_MISMATCH', row, 'The record does not match its commitment.');
    if (made.fields !== row.fields) this.#report('FIELDS_MISMATCH', row, 'The fields do not match their commitment.');
    if (built.text !== text) {
      this.#report('RECORD_NOT_CANONICAL', row, 'The record is not in canonical form.');
    }
    this.#checkValues(row, members, built, omitTime);
  }

  /** Compares the stored columns with the record, because queries are answered from them. */
  #checkValues(row: LedgerRow, members: JsonObject, built: BuiltRecord, omitTime: boolean): void {
    const { tenantId, sourceSystem, duplicateKeys, memberTags } = this.#context;
    if (
      members['event_id'] !== row.event_id ||
      members['tenant_id'] !== tenantId ||
      members['source_system'] !== sourceSystem
    ) {
      this.#report('IDENTITY_MISMATCH', row, 'The record names another event, tenant or source system than its row.');
    }
    if (memberTags.ofEntry(members) !== row.member_tag) {
      this.#report('IDENTITY_MISMATCH', row, 'The member_tag of the header is not that of the record.');
    }
    const query = queryFieldsOf(members);
    if (row.query === undefined || !sameQueryFields(row.query, query)) {
      this.#report('QUERY_FIELDS_MISMATCH', row, 'The stored query fields differ from the record.');
    }
    const effectiveAtMs = omitTime ? null : query.effective_at.getTime();
    const entry = { members, sent: built.sent, eventType: query.event_type, effectiveAtMs };
    const { fact_key, duplicate_key } = uniqueKeysOf(duplicateKeys, entry);
    if (row.fact_key !== fact_key || row.duplicate_key !== duplicate_key) {
      this.#report('DUPLICATE_KEY_MISMATCH', row, 'The duplicate keys differ from the record.');
    }
  }

  #checkWorm(row: LedgerRow, worm_sha256: string, copy: StoredCopy | undefined): void {
    if (copy === undefined) {
      this.#report('WORM_MISSING', row, 'The write-once store has no copy of the record.');
      return;
    }
    const fault = copyFault(copy, { ...row, worm_sha256 }, this.#context.committer);
    if (fault !== null)
      this.#report('WORM_MISMATCH', row, `The write-once copy does not match: ${COPY_FAULTS[fault]}.`);
  }

  #subject(row: HeaderRow): { source_system: string; sequence: number; event_id: string } {
    return { source_system: this.#context.sourceSystem, sequence: row._id.seq, event_id: row.event_id };
  }

  #reportGap(detail: string): void {
    const place = { source_system: this.#context.sourceSystem, sequence: this.#expectedSequence, event_id: null };
    this.#breaks.push({ kind: 'SEQUENCE_GAP', ...place, detail });
  }

  #report(kind: Break['kind'], row: HeaderRow, detail: string): void {
    this.#breaks.push({ kind, ...this.#subject(row), detail });
  }
}

/** Neither the record's bytes nor any member derived from them is left. */
export const isBare = ({ record, seed, worm_sha256, fact_key, duplicate_key, query }: LedgerRow): boolean =>
  [record, seed, worm_sha256, fact_key, duplicate_key, query].every((member) => member === undefined);
