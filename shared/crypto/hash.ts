import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';

/** H = SHA-256 (evidence.md section 2). */
export const sha256 = (data: Uint8Array | string): Buffer => hash('sha256', data, 'buffer');

export const sha256Hex = (data: Uint8Array | string): string => hash('sha256', data, 'hex');

export const hmacSha256 = (key: Uint8Array | string, data: Uint8Array | string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** D(tag, x…) = H("eas:" ‖ tag ‖ ":v1" ‖ 0x00 ‖ x…) (evidence.md section 2). */
export function taggedDigest(tag: string, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const digest = createHash('sha256').update(`eas:${tag}:v1\0`);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Compares secrets in constant time. Of unequal lengths the answer is no at once: a length is no secret. */
export const equalInConstantTime = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
