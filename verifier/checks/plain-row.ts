import { HASH_LENGTH } from '../text/bytes.js';
import { DIGIT, HEX, PLAIN, PRINTED, unitsAre, unitsEnd } from '../text/units.js';
import type { LedgerRow } from './ledger-row.js';

const TAB = 0x09;
const HYPHEN = 0x2d;
const ZERO = 0x30;
/** Numbers of so many digits are all told apart by a double. */
const MOST_DIGITS = 15;
const INSTANT = '0000-00-00T00:00:00.000Z';
const DASHED = INSTANT.length + 1;
const HASHED = HASH_LENGTH + 1;

/**
 * Where the cells of a row of ledger.tsv stand in its bytes, for a row as nearly all are: in ASCII, without escapes, with a
 * seed, its id needing no quoting. Kept for row after row, so that none makes garbage.
 */
export class PlainRow {
  start = 0;
  idEnd = 0;
  sourceStart = 0;
  sourceEnd = 0;
  seqStart = 0;
  seqEnd = 0;
  recordedAt = 0;
  seed = 0;
  prev = 0;
  entryHash = 0;
  indexStart = 0;
  end = 0;
  seq = 0;
  treeIndex = 0;

  /** Whether what stands there is such a row; `readLedgerRow` says what another is. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    this.start = start;
    this.end = end;
    this.idEnd = cellEnd(bytes, start, PLAIN);
    this.sourceStart = this.idEnd + 1;
    this.sourceEnd = cellEnd(bytes, this.sourceStart, PRINTED);
    this.seqStart = this.sourceEnd + 1;
    this.seqEnd = cellEnd(bytes, this.seqStart, DIGIT);
    this.recordedAt = this.seqEnd + 1;
    this.seed = this.recordedAt + DASHED;
    this.prev = this.seed + 3 * HASHED;
    this.entryHash = this.prev + HASHED;
    this.indexStart = this.entryHash + HASHED;
    if (this.idEnd < 0 || this.sourceEnd < 0 || this.seqEnd < 0 || this.indexStart >= end) return false;
    if (!isInstantAt(bytes, this.recordedAt)) return false;
    for (let at = this.seed; at < this.indexStart; at += HASHED) {
      if (bytes[at + HASH_LENGTH] !== TAB || !unitsAre(bytes, at, at + HASH_LENGTH, HEX)) return false;
    }
    this.seq = numberAt(bytes, this.seqStart, this.seqEnd);
    this.treeIndex = numberAt(bytes, this.indexStart, end);
    return bytes[this.seed - 1] === TAB && this.seq >= 1 && this.treeIndex >= 0;
  }

  /** @param text of the bytes, unit by byte */
  values(text: string): LedgerRow & { readonly seed: string } {
    const cell = (at: number, length = HASH_LENGTH): string => text.slice(at, at + length);
    return {
      event_id: text.slice(this.start, this.idEnd),
      source_system: text.slice(this.sourceStart, this.sourceEnd),
      seq: this.seq,
      recorded_at: cell(this.recordedAt, INSTANT.length),
      seed: cell(this.seed),
      commit: cell(this.seed + HASHED),
      fields: cell(this.seed + 2 * HASHED),
      prev: cell(this.prev),
      entry_hash: cell(this.entryHash),
      tree_index: this.treeIndex,
    };
  }

  get recordedEnd(): number {
    return this.recordedAt + INSTANT.length;
  }
}

/** Where the cell of that kind ends that begins there; -1 for another, for none and for that of no value. */
function cellEnd(bytes: Uint8Array, start: number, kind: number): number {
  const end = unitsEnd(bytes, start, kind);
  const empty = end === start || (end === start + 1 && bytes[start] === HYPHEN);
  return empty || bytes[end] !== TAB ? -1 : end;
}

function isInstantAt(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < INSTANT.length; i++) {
    const expected = INSTANT.charCodeAt(i);
    if (expected === ZERO ? !unitsAre(bytes, at + i, at + i + 1, DIGIT) : bytes[at + i] !== expected) return false;
  }
  return true;
}

/** In decimal without leading zeros; -1 for anything else. */
function numberAt(bytes: Uint8Array, start: number, end: number): number {
  const digits = end - start;
  if (digits < 1 || digits > MOST_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
  if (!unitsAre(bytes, start, end, DIGIT)) return -1;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - ZERO;
  return value;
}
