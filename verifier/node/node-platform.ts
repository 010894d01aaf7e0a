import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, hash, verify, webcrypto } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Platform } from '../platform.js';
import { toBase64Url, toHex } from '../text/bytes.js';

/** The platform on Node's built-in libraries. */
export const nodePlatform: Platform = {
  sha256Hex: (data) => hash('sha256', data, 'hex'),
  isUtf8,
  // Twice as fast as 'buffer', which allocates separate memory for 32 bytes.
  sha256: (data) => Buffer.from(hash('sha256', data, 'hex'), 'hex'),
  startSha256: () => {
    const running = createHash('sha256');
    return { update: (bytes) => void running.update(bytes), hex: () => running.digest('hex') };
  },
  // Runs in the thread pool over a copy that is made immediately.
  sha256Aside: async (bytes) => toHex(new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes))),
  crc32: (bytes, before) => crc32(bytes, before),
  verifyEd25519: async (publicKey, message, signature) => {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) }, format: 'jwk' });
    return verify(null, message, key, signature);
  },
};
