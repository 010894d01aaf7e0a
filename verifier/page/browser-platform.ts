import { ed25519 } from '@noble/curves/ed25519';
import { crc32 } from '../hashing/crc32.js';
import { Sha256 } from '../hashing/sha256.js';
import type { Platform } from '../platform.js';
import { fromUtf8, toHex, utf8 } from '../text/bytes.js';

// The platform in a browser. Web Crypto's SHA-256 is asynchronous, too slow for a million short hashes; the script hashes all
// but whole documents. Web Crypto's Ed25519 is used if present; browsers offer it only to pages of a secure origin.

const hashOf = (data: Uint8Array | string): Sha256 => new Sha256().update(typeof data === 'string' ? utf8(data) : data);

export const browserPlatform: Platform = {
  sha256Hex: (data) => hashOf(data).hex(),
  isUtf8: (bytes) => fromUtf8(bytes) !== undefined,
  sha256: (data) => hashOf(data).digest(),
  startSha256: () => {
    const hash = new Sha256();
    return { update: (bytes) => void hash.update(bytes), hex: () => hash.hex() };
  },
  sha256Aside: async (bytes) => {
    const { subtle } = globalThis.crypto ?? {};
    if (subtle === undefined) return hashOf(bytes).hex();
    return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
  },
  crc32,
  verifyEd25519: async (publicKey, message, signature) =>
    (await verifyByWebCrypto(publicKey, message, signature)) ?? verifyByScript(publicKey, message, signature),
};

/** Returns undefined if the browser lacks Ed25519 or rejects the key. */
async function verifyByWebCrypto(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean | undefined> {
  const subtle: typeof crypto.subtle | undefined = globalThis.crypto?.subtle;
  try {
    const key = await subtle?.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return key && (await subtle?.verify('Ed25519', key, signature, message));
  } catch {
    return undefined;
  }
}

/** Verifies strictly by RFC 8032, as OpenSSL does. */
function verifyByScript(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // The key or the signature is not a point of the curve.
    return false;
  }
}
