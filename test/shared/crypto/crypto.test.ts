import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { crc32 } from '../../../shared/crypto/crc32.js';
import { equalInConstantTime, hmacSha256, sha256, sha256Hex, taggedDigest } from '../../../shared/crypto/hash.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { seededRandomness } from '../../support/fakes.js';

const SEED = 20260302;

describe('digests', () => {
  it('compute SHA-256 of FIPS 180-2, of text and of bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256Hex('abc')).toBe(abc);
    expect(sha256(Buffer.from('abc')).toString('hex')).toBe(abc);
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('compute HMAC-SHA-256 of RFC 4231, cases 1 and 2', () => {
    expect(hmacSha256(Buffer.alloc(20, 0x0b), 'Hi There').toString('hex')).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
    expect(hmacSha256('Jefe', 'what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('compute CRC-32 of the catalogue: 0xCBF43926 over "123456789", never negative', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
    expect(crc32('')).toBe(0);
  });

  it('compute a tagged digest as H of "eas:", tag, ":v1", NUL and the parts', () => {
    const expected = createHash('sha256')
      .update(Buffer.concat([Buffer.from('eas:genesis:v1'), Buffer.of(0), Buffer.from('ab')]))
      .digest('hex');
    expect(taggedDigest('genesis', 'ab').toString('hex')).toBe(expected);
    expect(taggedDigest('genesis', Buffer.from('a'), 'b').toString('hex')).toBe(expected);
  });

  it('differ for other tags and parts', () => {
    const digests = [
      taggedDigest('genesis'),
      taggedDigest('genesis', 'a'),
      taggedDigest('entry', 'a'),
      taggedDigest('genesi', 's', 'a'),
    ].map((digest) => digest.toString('hex'));
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('compare secrets by their bytes, at any length', () => {
    expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abc'))).toBe(true);
    expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abd'))).toBe(false);
    expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abcd'))).toBe(false);
    expect(equalInConstantTime(Buffer.alloc(0), Buffer.alloc(0))).toBe(true);
  });
});

describe('the master key', () => {
  const key = new MasterKey(Buffer.alloc(32, 7));
  const randomness = seededRandomness(SEED);
  const secret = Buffer.from('whsec_the-secret');
  const wrapped = (): Buffer => key.wrap(secret, 'webhook:1', randomness);

  it('has exactly 32 bytes', () => {
    for (const length of [0, 16, 31, 33, 64]) expect(() => new MasterKey(Buffer.alloc(length))).toThrow(RangeError);
  });

  it('does not change when the caller changes its bytes', () => {
    const bytes = Buffer.alloc(32, 9);
    const made = new MasterKey(bytes);
    const before = made.derive('cursor');
    bytes.fill(0);
    expect(made.derive('cursor')).toEqual(before);
  });

  it('derives a different, stable key for every purpose, context and master key', () => {
    const keys = [
      key.derive('api-key-hmac'),
      key.derive('duplicate-key'),
      key.derive('duplicate-key', 'acme'),
      key.derive('duplicate-key', 'other'),
      new MasterKey(Buffer.alloc(32, 8)).derive('api-key-hmac'),
    ].map((derived) => derived.toString('hex'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((text) => text.length === 64)).toBe(true);
    expect(key.derive('api-key-hmac').toString('hex')).toBe(keys[0]);
  });

  it('unwraps what it wrapped, and never wraps the same secret alike', () => {
    expect(key.unwrap(wrapped(), 'webhook:1')).toEqual(secret);
    expect(key.unwrap(key.wrap(Buffer.alloc(0), 'empty', randomness), 'empty')).toHaveLength(0);
    expect(wrapped().equals(wrapped())).toBe(false);
    expect(wrapped().includes(secret)).toBe(false);
  });

  it('rejects a secret that was altered, truncated or moved', () => {
    const sealed = wrapped();
    for (let i = 0; i < sealed.length; i++) {
      const altered = Buffer.from(sealed);
      altered[i] = (altered[i] ?? 0) ^ 1;
      expect(() => key.unwrap(altered, 'webhook:1')).toThrow();
      expect(() => key.unwrap(sealed.subarray(0, i), 'webhook:1')).toThrow();
    }
    expect(() => key.unwrap(sealed, 'webhook:2')).toThrow();
    expect(() => new MasterKey(Buffer.alloc(32, 8)).unwrap(sealed, 'webhook:1')).toThrow();
  });
});
