import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** The data keys of a database with encrypted files. The form is plain, so that a parent can send it to its child. */
export interface Encryption {
  /** Version of the key that seals new values. */
  readonly current: number;
  /** 32 bytes each, as 64 hex digits, by version. A version stays as long as a value may need it. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A value that no given key opens, or that was changed. */
export class SealError extends Error {
  override name = 'SealError';
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const VERSION_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = VERSION_BYTES;
const SEALED_AT = NONCE_AT + NONCE_BYTES;
/** Bytes that a seal adds to a value. */
export const SEAL_BYTES = SEALED_AT + TAG_BYTES;
/** Random bytes are cheaper in one large draw. */
const POOL_BYTES = 12 * 512;

/**
 * Seals values with AES-256-GCM (NIST SP 800-38D): `u32 key version | 12 random bytes | ciphertext | 16-byte tag`. The
 * associated data are the name of the store and the key, so that a value is good only in its own place. Random nonces
 * limit a key to 2^32 values; rotate it before.
 */
export class DataCipher {
  readonly #keys = new Map<number, Buffer>();
  readonly #current: Buffer;
  readonly #version: number;
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #drawn = POOL_BYTES;

  /** @throws SealError for keys of another form */
  constructor({ current, keys }: Encryption) {
    for (const [version, hex] of Object.entries(keys)) {
      const key = Buffer.from(hex, 'hex');
      const isVersion = /^[1-9]\d{0,8}$/.test(version);
      if (!isVersion || key.length !== KEY_BYTES) throw new SealError(`data key ${version} has no 32 bytes`);
      this.#keys.set(Number(version), key);
    }
    const found = this.#keys.get(current);
    if (!found) throw new SealError(`data key ${current}, the current one, was not given`);
    this.#current = found;
    this.#version = current;
  }

  seal(place: Buffer, value: Uint8Array): Buffer {
    const sealed = Buffer.allocUnsafe(value.length + SEAL_BYTES);
    sealed.writeUInt32BE(this.#version, 0);
    const nonce = this.#nonce();
    nonce.copy(sealed, NONCE_AT);
    const cipher = createCipheriv(ALGORITHM, this.#current, nonce);
    cipher.setAAD(place);
    const text = cipher.update(value);
    cipher.final();
    text.copy(sealed, SEALED_AT);
    cipher.getAuthTag().copy(sealed, SEALED_AT + value.length);
    return sealed;
  }

  /** @throws SealError */
  open(place: Buffer, sealed: Buffer): Buffer {
    if (sealed.length < SEAL_BYTES) throw new SealError('the value is too short for a sealed one');
    const version = sealed.readUInt32BE(0);
    const key = this.#keys.get(version);
    if (!key) throw new SealError(`data key ${version} was not given`);
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(NONCE_AT, SEALED_AT));
    decipher.setAAD(place);
    decipher.setAuthTag(sealed.subarray(end));
    const value = decipher.update(sealed.subarray(SEALED_AT, end));
    try {
      decipher.final();
    } catch (cause) {
      throw new SealError('the value was changed, or belongs to another place', { cause });
    }
    return value;
  }

  /** The version of the key that sealed a value. */
  static versionOf(sealed: Buffer): number {
    return sealed.length < SEAL_BYTES ? 0 : sealed.readUInt32BE(0);
  }

  #nonce(): Buffer {
    if (this.#drawn === POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#drawn = 0;
    }
    this.#drawn += NONCE_BYTES;
    return this.#pool.subarray(this.#drawn - NONCE_BYTES, this.#drawn);
  }
}
