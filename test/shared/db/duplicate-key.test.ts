import { describe, expect, it } from '@jest/globals';
import { duplicateKeyOf, duplicatesAmong } from '../../../shared/db/duplicate-key.js';

describe('a duplicate key', () => {
  const text = (index: string): string =>
    `E11000 duplicate key error collection: eas.ledger index: ${index} dup key: { a: "x index: evil_1 dup key" }`;

  it('of one write is read from keyPattern', () => {
    const error = { code: 11000, keyPattern: { tenant_id: 1, sha256: 1 }, message: text('tenant_id_1_sha256_1') };
    expect(duplicateKeyOf(error)).toEqual({ fields: ['tenant_id', 'sha256'], documentIndex: null });
  });

  it.each([
    ['_id_', ['_id']],
    ['tenant_id_1_source_system_1_duplicate_key_1', ['tenant_id', 'source_system', 'duplicate_key']],
    ['created_at_-1__id_-1', ['created_at', '_id']],
    ['query.member_id_1', ['query.member_id']],
    ['named_by_hand', []],
  ])('of a batch, where the driver drops keyPattern, is read from the index %s', (index, fields) => {
    const writeErrors = [{ err: { index: 3, code: 11000, errmsg: text(index) } }];
    expect(duplicateKeyOf({ code: 11000, writeErrors })).toEqual({ fields, documentIndex: 3 });
    expect(duplicateKeyOf({ code: 11000, writeErrors: writeErrors[0] })).toEqual({ fields, documentIndex: 3 });
  });

  it.each([
    [
      'another write error of an unordered batch',
      { writeErrors: [{ err: { index: 0, code: 11000 } }, { err: { index: 1, code: 121 } }] },
    ],
    [
      'a failed write concern of a batch',
      { writeErrors: [{ err: { index: 1, code: 11000 } }], result: { getWriteConcernError: () => ({ code: 64 }) } },
    ],
    ['a failed write concern of one write', { result: { writeConcernError: { code: 189 } } }],
  ])('is not reported together with %s', (_, more) => {
    expect(duplicateKeyOf({ code: 11000, ...more })).toBeUndefined();
    expect(duplicatesAmong({ code: 11000, ...more })).toBeNull();
  });

  it('is not detected in other errors', () => {
    for (const error of [null, undefined, 'E11000', new Error('E11000'), { code: 11001 }, { code: '11000' }]) {
      expect(duplicateKeyOf(error)).toBeUndefined();
    }
    expect(duplicateKeyOf({ writeErrors: [{ err: { code: 121, index: 0 } }] })).toBeUndefined();
  });
});
