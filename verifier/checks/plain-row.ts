import { HASH_LENGTH } from '../text/bytes.js';
import { INSTANT_LENGTH, isInstantAt } from '../text/instants.js';
import { DIGIT, HEX, PLAIN, PRINTED, unitsAre, unitsEnd } from '../text/units.js';
import type { LedgerRow } from './ledger-row.js';

const TAB = 0x09;
const HYPHEN = 0x2d;
const ZERO = 0x30;
/** A double represents every number with this many digits exactly. */
const MOST_DIGITS = 15;
const DASHED = INSTANT_LENGTH + 1;
const HASHED = HASH_LENGTH + 1;
const UNTAGGED = 2;

/**
 * Offsets of the cells of a plain ledger.tsv row: ASCII, no escapes, with a seed, and an id that needs no quoting. Nearly
 * all rows are plain. One object is reused for all rows, so that no row makes garbage.
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
  /** Offset of the member's tag; `hasTag` is false for a row without one. */
  tag = 0;
  hasTag = false;
  prev = 0;
  entryHash = 0;
  indexStart = 0;
  end = 0;
  seq = 0;
  treeIndex = 0;

  /** Returns true for a plain row; `readLedgerRow` parses the other rows. */
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
    this.tag = this.seed + 3 * HASHED;
    this.hasTag = bytes[this.tag] !== HYPHEN;
    this.prev = this.tag + (this.hasTag ? HASHED : UNTAGGED);
    this.entryHash = this.prev + HASHED;
    this.indexStart = this.entryHash + HASHED;
    if (this.idEnd < 0 || this.sourceEnd < 0 || this.seqEnd < 0 || this.indexStart >= end) return false;
    if (!isInstantAt(bytes, this.recordedAt)) return false;
    if (!areHashes(bytes, this.seed, this.hasTag ? this.prev : this.tag)) return false;
    if (!areHashes(bytes, this.prev, this.indexStart) || bytes[this.prev - 1] !== TAB) return false;
    this.seq = numberAt(bytes, this.seqStart, this.seqEnd);
    this.treeIndex = numberAt(bytes, this.indexStart, end);
    return bytes[this.seed - 1] === TAB && this.seq >= 1 && this.treeIndex >= 0;
  }

  /** @param text text of the bytes, one unit per byte */
  values(text: string): LedgerRow & { readonly seed: string } {
    const cell = (at: number, length = HASH_LENGTH): string => text.slice(at, at + length);
    return {
      event_id: text.slice(this.start, this.idEnd),
      source_system: text.slice(this.sourceStart, this.sourceEnd),
      seq: this.seq,
      recorded_at: cell(this.recordedAt, INSTANT_LENGTH),
      seed: cell(this.seed),
      commit: cell(this.seed + HASHED),
      fields: cell(this.seed + 2 * HASHED),
      member_tag: this.hasTag ? cell(this.tag) : null,
      prev: cell(this.prev),
      entry_hash: cell(this.entryHash),
      tree_index: this.treeIndex,
    };
  }

  get recordedEnd(): number {
    return this.recordedAt + INSTANT_LENGTH;
  }
}

/** Returns true for cells of hashes alone from `start` to `end`. */
function areHashes(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += HASHED) {
    if (bytes[at + HASH_LENGTH] !== TAB || !unitsAre(bytes, at, at + HASH_LENGTH, HEX)) return false;
  }
  return true;
}

/** Returns the end of the cell; -1 for another kind of cell, an empty cell or the cell of no value. */
function cellEnd(bytes: Uint8Array, start: number, kind: number): number {
  const end = unitsEnd(bytes, start, kind);
  const empty = end === start || (end === start + 1 && bytes[start] === HYPHEN);
  return empty || bytes[end] !== TAB ? -1 : end;
}

/** Reads a decimal number without leading zeros; returns -1 for anything else. */
function numberAt(bytes: Uint8Array, start: number, end: number): number {
  const digits = end - start;
  if (digits < 1 || digits > MOST_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
  if (!unitsAre(bytes, start, end, DIGIT)) return -1;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] ?? ZERO) - ZERO;
  return value;
}
