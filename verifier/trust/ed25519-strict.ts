import type { Platform } from '../platform.js';
import { fromHex } from '../text/bytes.js';

// Ed25519 as evidence.md section 5 demands it. RFC 8032 leaves some encodings to the library: a key of low order verifies
// signatures over any message, and two encodings of one point make two keys of one.

const POINT_BYTES = 32;

/** p = 2^255 - 19, and the group order L, little-endian. */
const P = fromHex(`ed${'ff'.repeat(30)}7f`);
const L = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

/** The y coordinates of the eight points of low order, without the sign bit, little-endian. */
const LOW_ORDER: readonly Uint8Array[] = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map(fromHex);

/** Compares two little-endian numbers of equal length. */
function isLess(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = b.length - 1; i >= 0; i--) {
    const [left = 0, right = 0] = [a[i], b[i]];
    if (left !== right) return left < right;
  }
  return false;
}

/** Returns true for the canonical encoding of a coordinate of no point of low order. */
export function isStrongPoint(encoded: Uint8Array): boolean {
  if (encoded.length !== POINT_BYTES) return false;
  // Not `slice`: of a Buffer it is a view, and clearing the sign would change the caller's bytes.
  const y = new Uint8Array(encoded);
  y[POINT_BYTES - 1] = (y[POINT_BYTES - 1] ?? 0) & 0x7f;
  return isLess(y, P) && !LOW_ORDER.some((low) => low.every((byte, i) => byte === y[i]));
}

/** Verifies a signature of 64 bytes; rejects weak points and S ≥ L before it asks the platform. */
export async function verifyStrictly(
  platform: Platform,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const [r, s] = [signature.subarray(0, POINT_BYTES), signature.subarray(POINT_BYTES)];
  if (s.length !== POINT_BYTES || !isStrongPoint(publicKey) || !isStrongPoint(r) || !isLess(s, L)) return false;
  return platform.verifyEd25519(publicKey, message, signature);
}
