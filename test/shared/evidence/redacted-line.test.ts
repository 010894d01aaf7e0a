import { describe, expect, it } from '@jest/globals';
import { entryHash, type Header } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { buildRecord } from '../../../shared/evidence/record.js';
import { redactedLine, verifyRedactedLine } from '../../../shared/evidence/redacted-line.js';
import { ALWAYS_DISCLOSED, expandPointers } from '../../../shared/evidence/redaction-pointers.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { seeded } from '../../support/random.js';

const STAMP = {
  event_id: 'evt_01JQ0000000000000000000001',
  tenant_id: 't-acme',
  received_at: '2026-03-02T14:11:10.000Z',
};
const ENVELOPE: JsonObject = {
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  member_id: 'M-1',
  source_system: 'um-core',
  source_record_id: 'PA-1',
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
  outcome: 'DENIED',
  payload: { rationale: 'Not documented', carc: ['50'] },
};
const SEED = Buffer.alloc(32, 7);
const REDACTION = 'rdx_01JQ0000000000000000000009';
/** As published with the format, for this record, seed and chain (evidence.md section 2, "Vector"). */
const FIELDS = 'cb0d5628a74a406b1a92a0b9cc77a9671de09563e2e2b7f0de24b0b2b1a654a6';
const ENTRY_HASH = 'a73f457457589c5af7cb128614650b5c94bddf4db04cfcf735d03f6cf36780e2';
const HEADER: Header = {
  commit: '3869a0119ad81d1ed92a3717b5adfc564712d4817f4197a225e7e5b692e3d551',
  event_id: STAMP.event_id,
  fields: FIELDS,
  member_tag: '9d4000d3b1c37af8435a835f55761e789c993981eb572b1518bd9e106edf7cb5',
  prev: 'b1e6a485011eb101f12efe103789061b6cd8abfe23abe0fa8efa6e585de14a38',
  recorded_at: '2026-03-02T14:11:10.004Z',
  seq: 1,
  source_system: 'um-core',
  tenant_id: 't-acme',
};
const EVIDENCE = { header: HEADER, entryHash: ENTRY_HASH };

const lineOf = (pointers: readonly string[], envelope = ENVELOPE, seed = SEED): string =>
  redactedLine({ record: buildRecord(envelope, STAMP).text, seed, pointers, redactionId: REDACTION }).line;

describe('a redacted line', () => {
  it('proves against the header and the entry hash of the published vector', () => {
    const line = JSON.parse(lineOf(['/payload/rationale', '/member_id']));
    expect(verifyRedactedLine(line, EVIDENCE)).toEqual([]);
  });

  it('is canonical and deterministic', () => {
    const line = lineOf(['/payload']);
    expect(line).toBe(canonicalJson(JSON.parse(line)));
    expect(lineOf(['/payload'])).toBe(line);
  });

  it('contains no hidden value, salt or pointer', () => {
    const line = lineOf(['/payload', '/member_id']);
    for (const word of ['documented', 'M-1', '/payload', '/member_id', 'rationale']) expect(line).not.toContain(word);
  });

  it('hides the number of hidden fields among decoys', () => {
    const one = JSON.parse(lineOf(['/member_id']));
    expect((one.disclosed.length + one.hidden.length) % 8).toBe(0);
    expect(one.hidden.length).toBeGreaterThan(1);
    expect(one.hidden).toEqual([...one.hidden].sort());
  });

  it('discloses the mandatory members, whatever the pointers say', () => {
    const line = JSON.parse(lineOf(['']));
    expect(line.disclosed.map(([, pointer]: [string, string]) => pointer).sort()).toEqual([...ALWAYS_DISCLOSED].sort());
    expect(verifyRedactedLine(line, EVIDENCE)).toEqual([]);
  });

  it('is not made if it would hide nothing', () => {
    expect(() => lineOf(['/payload/unknown'])).toThrow(RangeError);
    expect(() => lineOf(['/event_id'])).toThrow(RangeError);
    expect(() => lineOf([])).toThrow(RangeError);
  });
});

describe('verification of a line', () => {
  const good = JSON.parse(lineOf(['/payload/rationale']));
  const disclosedWith = (change: (leaf: [string, string, unknown]) => unknown) => ({
    ...good,
    disclosed: good.disclosed.map(change),
  });
  const cases: readonly [string, unknown][] = [
    [
      'a value changed',
      disclosedWith(([salt, pointer, value]) => [salt, pointer, pointer === '/outcome' ? 'APPROVED' : value]),
    ],
    [
      'a pointer changed',
      disclosedWith(([salt, pointer, value]) => [salt, pointer === '/outcome' ? '/result' : pointer, value]),
    ],
    ['a salt changed', disclosedWith(([salt, pointer, value]) => [salt.replace(/^./, 'x'), pointer, value])],
    ['a field left out', { ...good, disclosed: good.disclosed.slice(1) }],
    ['a field shown twice', { ...good, disclosed: [...good.disclosed, good.disclosed[0]] }],
    ['a hidden digest changed', { ...good, hidden: [`${'0'.repeat(64)}`, ...good.hidden.slice(1)] }],
    ['a hidden digest left out', { ...good, hidden: good.hidden.slice(1) }],
    ['another event named', { ...good, event_id: 'evt_01JQ0000000000000000000002' }],
    ['a member added', { ...good, note: 'x' }],
    ['another state', { ...good, state: 'INCLUDED' }],
    ['no object', []],
    [
      'a value that holds more than a leaf',
      disclosedWith(([salt, pointer, value]) => [salt, pointer, pointer === '/outcome' ? { a: 1 } : value]),
    ],
  ];

  it.each(cases)('%s', (_, line) => expect(verifyRedactedLine(line, EVIDENCE)).not.toEqual([]));

  it('rejects a good line against another chain', () => {
    expect(verifyRedactedLine(good, { header: { ...HEADER, seq: 2 }, entryHash: ENTRY_HASH })).not.toEqual([]);
    expect(verifyRedactedLine(good, { header: HEADER, entryHash: '0'.repeat(64) })).not.toEqual([]);
  });
});

describe('redaction pointers', () => {
  const { leaves } = buildRecord(
    { ...ENVELOPE, payload: { a: { b: 1, 'c/d': 2 }, ab: 3, raw_sha256: 'x', raw: { part_sha256: 'y', offset: 0 } } },
    STAMP,
  );

  it('expand to the leaves below them, and to no neighbour with a similar name', () => {
    expect(expandPointers(leaves, ['/payload/a']).hidden).toEqual([
      '/payload/a/b',
      '/payload/a/c~1d',
      '/payload/raw/part_sha256',
      '/payload/raw_sha256',
    ]);
  });

  it('include the unsalted hashes of the raw bytes, because a value could be guessed from them', () => {
    expect(expandPointers(leaves, ['/payload/ab']).hidden).toContain('/payload/raw/part_sha256');
    expect(expandPointers(leaves, []).hidden).toEqual([]);
  });

  it('are reported if they match nothing or a mandatory member', () => {
    const judged = expandPointers(leaves, ['/payload/zz', '/tenant_id', '', '/payload/ab']);
    expect(judged.unknown).toEqual(['/payload/zz']);
    expect(judged.undisclosable).toEqual(['/tenant_id', '']);
  });
});

it('proves a thousand random records after any redaction, and only with their own seed', () => {
  const random = seeded(20_260_302);
  const below = (limit: number): number => Math.floor(random() * limit);
  const committer = new Committer();
  for (let round = 0; round < 1000; round++) {
    const payload: JsonObject = {};
    for (let i = 0; i < below(30) + 1; i++) {
      payload[`k${i}/~${below(5)}`] = [below(1000), 'ü'.repeat(below(9)), {}][below(3)] ?? [];
    }
    const seed = Buffer.from(Array.from({ length: 32 }, () => below(256)));
    const built = buildRecord({ ...ENVELOPE, payload }, STAMP);
    const made = committer.commit(seed, Buffer.from(built.text), built.leaves);
    const header = { ...HEADER, commit: made.commit, fields: made.fields };
    const pointers = built.leaves.pointers.filter((leaf) => leaf.startsWith('/payload') && below(2) === 0);
    const asked = { record: built.text, pointers: ['/member_id', ...pointers], redactionId: REDACTION };
    const evidence = { header, entryHash: entryHash(header) };
    const { line } = redactedLine({ ...asked, seed });
    expect(verifyRedactedLine(JSON.parse(line), evidence)).toEqual([]);
    const other = redactedLine({ ...asked, seed: Buffer.alloc(32, round) });
    expect(verifyRedactedLine(JSON.parse(other.line), evidence)).not.toEqual([]);
  }
});
