import type { LeafPath } from '../../shared/hashing/leaf-path.js';
import { Commitments, type LeafObserver } from '../hashing/commitments.js';
import { entryHash } from '../hashing/links.js';
import {
  COMMIT_FAULT,
  FIELDS_FAULT,
  HEADER_FAULT,
  IDENTITY_FAULT,
  LINE_FAULT,
  NOT_CANONICAL,
  type Platform,
  type RecordBatch,
} from '../platform.js';
import { fromUtf8, HASH_LENGTH } from '../text/bytes.js';
import type { CanonicalScanner } from '../text/canonical-scanner.js';
import { type LedgerRow, readLedgerRow } from './ledger-row.js';
import { PlainRow } from './plain-row.js';

const LF = 0x0a;
/** Bits of a record that names its event, source and tenant. */
const ALL_NAMED = 7;

/** Compares batches of records with their chain's commitments. Keeps no state between batches; not thread-safe. */
export class RecordJudge {
  readonly commitments: Commitments;
  readonly #plain = new PlainRow();

  constructor(private readonly platform: Platform) {
    this.commitments = new Commitments(platform);
  }

  /** @returns one byte of fault bits per record */
  judge({ lines, rows, hashes, tenantId }: RecordBatch): Uint8Array {
    const scanner = this.commitments.scanner(fromUtf8(lines) ?? '');
    const rowsText = fromUtf8(rows) ?? '';
    const hashesText = fromUtf8(hashes) ?? '';
    const tenantText = JSON.stringify(tenantId);
    const faults = new Uint8Array(hashes.length / HASH_LENGTH);
    let [rowAt, byteAt, textAt] = [0, 0, 0];
    for (let i = 0; i < faults.length; i++) {
      const rowEnd = rows.indexOf(LF, rowAt);
      const row = this.#row(rows, rowsText, rowAt, rowEnd);
      const bytes = lines.subarray(byteAt, lines.indexOf(LF, byteAt));
      const textEnd = scanner.text.indexOf('\n', textAt);
      const sha256 = hashesText.slice(i * HASH_LENGTH, (i + 1) * HASH_LENGTH);
      faults[i] =
        (this.platform.sha256Hex(bytes) === sha256 ? 0 : LINE_FAULT) |
        (entryHash(this.platform, row, tenantText) === row.entry_hash ? 0 : HEADER_FAULT) |
        this.#record(scanner, [textAt, textEnd], bytes, row, tenantText);
      rowAt = rowEnd + 1;
      byteAt += bytes.length + 1;
      textAt = textEnd + 1;
    }
    return faults;
  }

  #row(rows: Uint8Array, text: string, start: number, end: number): LedgerRow & { readonly seed: string } {
    if (text.length === rows.length && this.#plain.read(rows, start, end)) return this.#plain.values(text);
    const row = readLedgerRow(fromUtf8(rows.subarray(start, end)) ?? '');
    if (row?.seed == null) throw new Error('a batch holds rows of known form, with seeds');
    return { ...row, seed: row.seed };
  }

  #record(
    scanner: CanonicalScanner<LeafPath>,
    span: readonly [number, number],
    bytes: Uint8Array,
    row: LedgerRow & { readonly seed: string },
    tenantText: string,
  ): number {
    let named = 0;
    const name = (bit: number, text: string, start: number, end: number): void => {
      if (end - start === text.length && scanner.text.startsWith(text, start)) named |= bit;
    };
    const observe: LeafObserver = (pointer, start, end) => {
      if (pointer === '/event_id') name(1, JSON.stringify(row.event_id), start, end);
      else if (pointer === '/source_system') name(2, JSON.stringify(row.source_system), start, end);
      else if (pointer === '/tenant_id') name(4, tenantText, start, end);
    };
    const made = this.commitments.ofRecord(row.seed, scanner, span, bytes, observe);
    if (made === undefined) return NOT_CANONICAL;
    return (
      (made.commit === row.commit ? 0 : COMMIT_FAULT) |
      (made.fields === row.fields ? 0 : FIELDS_FAULT) |
      (named === ALL_NAMED ? 0 : IDENTITY_FAULT)
    );
  }
}
