import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Randomness } from '../ids/ids.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

/** Purposes of the master key; HKDF (RFC 5869) derives one key for each purpose. */
type KeyPurpose =
  | 'api-key-hmac'
  | 'duplicate-key'
  | 'disposal-tie'
  | 'disposal-order'
  | 'secret-wrapping'
  | 'cursor'
  | 'internal-token'
  | 'member-reference'
  | 'member-tag'
  | 'member-token'
  | 'one-time-code'
  | 'upload-ticket'
  | 'work';

/** The deployment's master key (SERVICE_MASTER_KEY): wraps secrets at rest and yields the HMAC keys. */
export class MasterKey {
  readonly #key: Buffer;

  /** @param key exactly 32 bytes. */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new RangeError(`the master key must be ${KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
  }

  /** A 32-byte key for one purpose, and one context such as a tenant. */
  derive(purpose: KeyPurpose, context = ''): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, 'eas', `eas:${purpose}:${context}`, KEY_BYTES));
  }

  /** AES-256-GCM: version ‖ nonce ‖ tag ‖ ciphertext; `context` is authenticated, so a wrapped secret cannot be moved. */
  wrap(secret: Uint8Array, context: string, randomness: Randomness): Buffer {
    const nonce = randomness.fill(new Uint8Array(NONCE_BYTES));
    const cipher = createCipheriv('aes-256-gcm', this.derive('secret-wrapping'), nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws when the secret was altered, moved to another context, or wrapped by another master key. */
  unwrap(wrapped: Uint8Array, context: string): Buffer {
    const bytes = Buffer.from(wrapped);
    if (bytes[0] !== VERSION) throw new Error('a wrapped secret has an unknown version');
    const nonceEnd = 1 + NONCE_BYTES;
    const tagEnd = nonceEnd + TAG_BYTES;
    if (bytes.length < tagEnd) throw new Error('a wrapped secret is cut short');
    const decipher = createDecipheriv('aes-256-gcm', this.derive('secret-wrapping'), bytes.subarray(1, nonceEnd), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
  }
}
