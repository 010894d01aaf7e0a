import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { nodePlatform } from '../../verifier/node/node-platform.js';
import { isStrongPoint, verifyStrictly } from '../../verifier/trust/ed25519-strict.js';

const KEYS = 64;

it('accepts every proper signature, and leaves the bytes of key and signature as they are', async () => {
  for (let n = 0; n < KEYS; n++) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const message = Buffer.from(`message ${n}`);
    const signature = sign(null, message, privateKey);
    const before = [key.toString('hex'), signature.toString('hex')];
    expect(await verifyStrictly(nodePlatform, key, message, signature)).toBe(true);
    expect([key.toString('hex'), signature.toString('hex')]).toEqual(before);
  }
});

it('rejects the points of low order and other encodings, with either sign', () => {
  const weak = [
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    `ec${'ff'.repeat(30)}7f`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `ed${'ff'.repeat(30)}7f`,
    'ff'.repeat(32),
  ];
  for (const hex of weak) {
    const point = Buffer.from(hex, 'hex');
    for (const bit of [0, 0x80]) {
      const encoded = Buffer.from(point);
      encoded[31] = (point[31] ?? 0) | bit;
      expect([hex, bit, isStrongPoint(encoded)]).toEqual([hex, bit, false]);
    }
  }
});
