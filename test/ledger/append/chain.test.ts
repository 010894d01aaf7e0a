import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { entryHash, genesisHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { memberTag } from '../../../shared/evidence/member-tag.js';
import { buildRecord, rebuildRecord } from '../../../shared/evidence/record.js';
import { ShortHasher } from '../../../shared/hashing/short-hasher.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { DuplicateKeys } from '../../../subgraphs/ledger/append/domain/duplicate-key.js';
import { seeded } from '../../support/random.js';
import { referenceFields } from './reference-fields.js';

const VECTOR_RECORD =
  '{"event_effective_timestamp":"2026-03-02T14:11:09.123Z","event_family":"utilization_management","event_id":"evt_01JQ0000000000000000000001","event_type":"prior_auth.denied","member_id":"M-1","outcome":"DENIED","payload":{"carc":["50"],"rationale":"Not documented"},"received_at":"2026-03-02T14:11:10.000Z","source_record_id":"PA-1","source_system":"um-core","tenant_id":"t-acme"}';

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
const STAMP = {
  event_id: 'evt_01JQ0000000000000000000001',
  tenant_id: 't-acme',
  received_at: '2026-03-02T14:11:10.000Z',
};

describe('the vector of the evidence format', () => {
  const seed = Buffer.alloc(32, 7);
  const built = buildRecord(ENVELOPE, STAMP);
  const made = new Committer().commit(seed, Buffer.from(built.text), built.leaves);
  const genesis = genesisHash('eas.example/log/01HZX0', 'um-core', 't-acme');

  it('has the record in canonical form', () => expect(built.text).toBe(VECTOR_RECORD));

  it('has record, commitment and fields hashes as published', () => {
    expect(made).toEqual({
      worm_sha256: '5e34e0338ac2b26fd8dcde35607c190bce403f26d37f91bdb8739734be58a70f',
      commit: '3869a0119ad81d1ed92a3717b5adfc564712d4817f4197a225e7e5b692e3d551',
      fields: 'cb0d5628a74a406b1a92a0b9cc77a9671de09563e2e2b7f0de24b0b2b1a654a6',
    });
  });

  it('has genesis, link and leaf hashes as published', () => {
    expect(genesis).toBe('b1e6a485011eb101f12efe103789061b6cd8abfe23abe0fa8efa6e585de14a38');
    const link = entryHash({
      commit: made.commit,
      event_id: STAMP.event_id,
      fields: made.fields,
      member_tag: memberTag(Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 'M-1'),
      prev: genesis,
      recorded_at: '2026-03-02T14:11:10.004Z',
      seq: 1,
      source_system: 'um-core',
      tenant_id: 't-acme',
    });
    expect(link).toBe('a73f457457589c5af7cb128614650b5c94bddf4db04cfcf735d03f6cf36780e2');
    expect(leafHash(Buffer.from(link, 'hex')).toString('hex')).toBe(
      '55d0ecaa2c74f7629c39f2ccea6e3661fed35a2a15389a33f8c6f12a87c93ae8',
    );
  });
});

describe('the SHA-256 block function', () => {
  const random = seeded(41);
  const hasher = new ShortHasher();
  const target = Buffer.alloc(64);

  it('agrees with the platform for every length around the block boundaries, plain and keyed', () => {
    for (let length = 0; length < 400; length++) {
      const message = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
      const key = Buffer.from(Array.from({ length: 32 }, () => Math.floor(random() * 256)));
      hasher.start().bytes(message).digestInto(target, 0);
      expect(target.toString('hex', 0, 32)).toBe(createHash('sha256').update(message).digest('hex'));
      hasher.start().bytes(message).hmacInto(hasher.hmacKey(key), target, 32);
      expect(target.toString('hex', 32)).toBe(createHmac('sha256', key).update(message).digest('hex'));
    }
  });

  it('agrees with the platform for text of every width and for long text', () => {
    for (const text of [
      '',
      'plain',
      'Zoë',
      'ab€c',
      '😀 x',
      'é'.repeat(700),
      `${'x'.repeat(5000)}é`,
      'a'.repeat(300_000),
    ]) {
      hasher.start().text('pre:').text(text).digestInto(target, 0);
      expect(target.toString('hex', 0, 32)).toBe(createHash('sha256').update(`pre:${text}`).digest('hex'));
      hasher
        .start()
        .text(text)
        .hmacInto(hasher.hmacKey(Buffer.alloc(32, 3)), target, 0);
      expect(target.toString('hex', 0, 32)).toBe(createHmac('sha256', Buffer.alloc(32, 3)).update(text).digest('hex'));
    }
  });
});

describe('records of any shape', () => {
  const shapes: JsonObject[] = [
    { a: {}, b: [], c: [[], {}], d: null, e: true, f: -0, g: 1e21, h: 0.1, i: '' },
    { '': { '~/': 'x', 'a"b\\': '\u0001\n', 'é😀': 'ü' }, z: ['😀', '"', '\\'] },
    { list: Array.from({ length: 100 }, (_, i) => ({ i, text: 'x'.repeat(i * 20) })) },
    // More names than are sorted by hand, than are remembered, and longer ones.
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`n/${(i * 7_919) % 5_000}`, i])),
    Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`~${'n'.repeat(70 - i)}`, { c: i, b: '', a: [] }])),
    { __proto__x: 1, constructor: 'c', b: { '10': 1, '9': 2, a: 3 } },
  ];

  it('have text and field commitments equal to the definition on the platform functions', () => {
    const committer = new Committer();
    shapes.forEach((payload, i) => {
      const seed = Buffer.alloc(32, i + 1);
      const built = buildRecord({ ...ENVELOPE, payload }, STAMP);
      const record = JSON.parse(built.text) as JsonObject;
      expect(built.text).toBe(canonicalJson({ ...ENVELOPE, payload, ...STAMP }));
      const made = committer.commit(seed, Buffer.from(built.text), built.leaves);
      expect(made.fields).toBe(referenceFields(seed, record));
      const again = rebuildRecord(record);
      expect(again.text).toBe(built.text);
      expect(committer.commit(seed, Buffer.from(again.text), again.leaves)).toEqual(made);
    });
  });

  it('change the fields commitment with one leaf', () => {
    const committer = new Committer();
    const seed = Buffer.alloc(32, 9);
    const one = buildRecord(ENVELOPE, STAMP);
    const other = buildRecord({ ...ENVELOPE, outcome: 'APPROVED' }, STAMP);
    const bytes = Buffer.from(one.text);
    expect(committer.commit(seed, bytes, one.leaves).fields).not.toBe(
      committer.commit(seed, bytes, other.leaves).fields,
    );
  });
});

describe('the duplicate key', () => {
  const keys = new DuplicateKeys(Buffer.alloc(32, 5));

  it('is the HMAC of the envelope as sent, with any tenant_id and key order', () => {
    const sent = canonicalJson(ENVELOPE);
    const expected = createHmac('sha256', Buffer.alloc(32, 5)).update(sent).digest('hex');
    expect(keys.of(buildRecord(ENVELOPE, STAMP).sent)).toBe(expected);
    const reversed = Object.fromEntries(Object.entries(ENVELOPE).reverse());
    expect(keys.of(buildRecord({ ...reversed, tenant_id: 't-acme' }, STAMP).sent)).toBe(expected);
  });

  it('omits a time that is only the time of receipt', () => {
    const later = { ...ENVELOPE, event_effective_timestamp: '2027-01-01T00:00:00Z' };
    expect(buildRecord(later, STAMP, true).sent).toBe(buildRecord(ENVELOPE, STAMP, true).sent);
    expect(buildRecord(later, STAMP).sent).not.toBe(buildRecord(ENVELOPE, STAMP).sent);
  });
});
