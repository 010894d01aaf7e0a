import { describe, expect, it } from '@jest/globals';
import { crypted, objectKey } from '../../../../shared/worm/keys/content-cipher.js';

const KEY = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
const TEXT = Buffer.from('frames of a part, longer than two blocks of the cipher');

describe('the cipher of objects', () => {
  it('gives the bytes that HKDF by hand and openssl give', () => {
    // Python: hmac.new(hmac.new(bytes(32), KEY, sha256).digest(), b'eas.worm-object/v1 segments/s/p.part\x01', sha256);
    // then openssl enc -aes-256-ctr -iv 0.
    const key = objectKey(KEY, 'segments/s/p.part');
    expect(key.toString('hex')).toBe('1107df2f2dac9840a5f4c422a5a85b7ef7203399d18cdcff0c40caecb75a5597');
    expect(crypted(key, 0, TEXT).toString('hex')).toBe(
      '5055da4fda7f04b6ae16dd5e8ddbded67297b1f6162bf9c746443df6177ed7401b5c89d3eb7b51191cedfc68fbed01e3ea5716b6c27b',
    );
  });

  it('encrypts any range as it encrypts the whole', () => {
    const key = objectKey(KEY, 'contents/blb_1');
    const whole = crypted(key, 0, TEXT);
    for (let from = 0; from <= TEXT.length; from++) {
      for (let to = from; to <= TEXT.length; to++) {
        expect(crypted(key, from, TEXT.subarray(from, to)).equals(whole.subarray(from, to))).toBe(true);
      }
    }
    expect(crypted(key, 0, whole).equals(TEXT)).toBe(true);
  });

  it('carries the counter past 2^32 blocks', () => {
    const key = objectKey(KEY, 'contents/blb_1');
    const at = 16 * 2 ** 32 - 16;
    const two = crypted(key, at, Buffer.alloc(32));
    expect(crypted(key, at + 16, Buffer.alloc(16)).equals(two.subarray(16))).toBe(true);
  });

  it('gives each object and each key other bytes', () => {
    const seen = new Set(
      [objectKey(KEY, 'a'), objectKey(KEY, 'b'), objectKey(Buffer.alloc(32, 1), 'a')].map((key) =>
        crypted(key, 0, TEXT).toString('hex'),
      ),
    );
    expect(seen.size).toBe(3);
  });
});
