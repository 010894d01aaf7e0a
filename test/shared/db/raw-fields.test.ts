import { describe, expect, it } from '@jest/globals';
import { Binary, Double, Long, serialize } from 'bson';
import { RAW, RawFields } from '../../../shared/db/raw-fields.js';
import { readEntryHeader, readLedgerRow } from '../../../subgraphs/ledger/append/model/row-reader.js';
import { readTreeRow } from '../../../subgraphs/ledger/transparency/model/row-reader.js';

const HEX = 'ab'.repeat(32);
const AT = new Date('1969-12-31T23:59:59.999Z');
const HEADER = { commit: HEX, fields: HEX, prev_hash: HEX, entry_hash: HEX };
const PLACE = { _id: { tenant_id: 't-ä', source_system: 'um', seq: 7 }, tenant_id: 't-ä', source_system: 'um' };
const ROW = {
  ...PLACE,
  event_id: 'evt_1',
  recorded_at: AT,
  ...HEADER,
  record: Buffer.from('{"a":1}'),
  seed: Buffer.alloc(32, 3),
  worm_sha256: HEX,
  fact_key: 'x\u0000',
  duplicate_key: HEX,
  query: { effective_at: AT, event_family: 'claim', event_type: 'claim_submitted', outcome: 'paid', member_id: 'Ö' },
};

const raw = (document: object): Uint8Array => Uint8Array.from(serialize(document));

describe('rows decoded in place from a reply', () => {
  it('equal the written rows', () => {
    expect(readLedgerRow(raw(ROW))).toEqual(ROW);
    const { outcome: _, ...query } = ROW.query;
    expect(readLedgerRow(raw({ ...ROW, query }))).toEqual({ ...ROW, query });
    expect(readEntryHeader(raw(ROW))).toEqual({
      ...HEADER,
      seq: 7,
      event_id: 'evt_1',
      recorded_at: AT,
      worm_sha256: HEX,
    });
  });

  it('are decoded by the library if their layout differs', () => {
    const { record, seed, worm_sha256, fact_key, duplicate_key, query, ...disposed } = ROW;
    const marked = { ...ROW, conflicts_with: ['evt_0'], from_raw: true };
    const custody = { ...ROW, query: { ...query, custody_keys: ['a', 'b'] } };
    for (const row of [disposed, marked, custody, { ...ROW, entry_hash: 5 }, { ...ROW, query: null }]) {
      expect(readLedgerRow(raw(row))).toEqual(row);
    }
    expect([record, seed, worm_sha256, fact_key, duplicate_key].every((part) => part !== undefined)).toBe(true);
    expect(readEntryHeader(raw(disposed)).worm_sha256).toBeNull();
    expect(readEntryHeader(raw({ ...ROW, commit: true })).commit).toBe(true);
  });

  it('accept a sequence of any number type', () => {
    for (const seq of [new Double(7), Long.fromNumber(7)]) {
      const row = { ...ROW, _id: { ...ROW._id, seq } };
      expect(readLedgerRow(raw(row))._id.seq).toBe(7);
    }
    expect(readLedgerRow(raw({ ...ROW, _id: { ...ROW._id, seq: 2 ** 40 } }))._id.seq).toBe(2 ** 40);
  });

  it('are decoded for the tree as for the ledger', () => {
    const leaf = { _id: { tenant_id: 't', tree_index: 3 }, tenant_id: 't', source_system: 'um', seq: 4 };
    const told = { tree_index: 3, source_system: 'um', seq: 4, entry_hash: HEX };
    const entry_hash = Buffer.from(HEX, 'hex');
    expect(readTreeRow(raw({ ...leaf, entry_hash }))).toEqual(told);
    expect(readTreeRow(raw({ entry_hash, ...leaf, more: 1 }))).toEqual(told);
  });
});

describe('fields of a document', () => {
  it('are found in any order, among others, and reported as absent', () => {
    const fields = new RawFields(['a', 'b', 'c']);
    expect(fields.find(Buffer.from(serialize({ z: [1, { y: 2 }], b: 'B', a: new Binary(Buffer.of(9), 4) })))).toBe(
      true,
    );
    expect([fields.found, fields.unknown, fields.type(2)]).toEqual([2, 1, 0]);
    expect([fields.text(1), fields.subtype(0), fields.hex(0)]).toEqual(['B', 4, '09']);
    expect(fields.has(0, RAW.binary)).toBe(true);
  });

  it('are left to the library in a document with rare types or a wrong length', () => {
    const fields = new RawFields(['a']);
    expect(fields.find(Buffer.from(serialize({ a: 1, r: /x/ })))).toBe(false);
    const cut = Buffer.from(serialize({ a: 1 }));
    cut[cut.length - 1] = 1;
    expect(fields.find(cut)).toBe(false);
  });
});
