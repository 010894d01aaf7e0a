import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

// Ed25519 (RFC 8032) from its 32-byte seed: the service stores the encrypted seed; everything else follows from it.

export const SEED_BYTES = 32;
/** RFC 8410 section 7: the PKCS #8 bytes before the seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** RFC 8037 section 2. */
export interface Ed25519Jwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

const privateKeyOf = (seed: Uint8Array): KeyObject => {
  if (seed.length !== SEED_BYTES) throw new RangeError(`an Ed25519 seed is ${SEED_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
};

export function ed25519Jwk(seed: Uint8Array): Ed25519Jwk {
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('a public key without its point');
  return { kty: 'OKP', crv: 'Ed25519', x };
}

/** RFC 7638 section 3, with the members that RFC 8037 appendix A.3 names: 43 characters of base64url. */
export const jwkThumbprint = (x: string): string =>
  hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');

/** 64 bytes over the message itself: Ed25519 takes no hash of it. */
export const ed25519Sign = (seed: Uint8Array, message: Uint8Array): Buffer => sign(null, message, privateKeyOf(seed));

export const ed25519Verify = ({ kty, crv, x }: Ed25519Jwk, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature);
