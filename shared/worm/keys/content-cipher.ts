import { createCipheriv, createHmac, hkdfSync } from 'node:crypto';

/** Length of the key of a segment or of a content. */
export const CONTENT_KEY_BYTES = 32;

const CIPHER = 'aes-256-ctr';
const CIPHER_BLOCK_BYTES = 16;
const LABEL = 'eas.worm-object/v1 ';
const RECORD_LABEL = 'eas.worm-record/v1 ';

const derived = (key: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, CONTENT_KEY_BYTES));

/**
 * Derives the key of one object. A segment has many objects under one key, and a counter must never repeat under a key.
 *
 * @param key key of the segment or the content
 * @param name name of the object without the prefix of the deployment
 */
export const objectKey = (key: Uint8Array, name: string): Buffer => derived(key, LABEL + name);

/** Name of a content's object, with every driver. */
export const contentName = (fileId: string): string => `contents/${fileId}`;

/**
 * Encrypts or decrypts a range of an object with AES-256-CTR; the counter is the number of the 16-byte block, so a range needs
 * no bytes before it. The mode only hides: readers verify every byte against the hash of its record or block.
 *
 * @param at offset of the first byte in the object
 */
export function crypted(key: Uint8Array, at: number, bytes: Uint8Array): Buffer {
  const counter = Buffer.alloc(CIPHER_BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / CIPHER_BLOCK_BYTES)), CIPHER_BLOCK_BYTES / 2);
  const cipher = createCipheriv(CIPHER, key, counter);
  cipher.update(Buffer.alloc(at % CIPHER_BLOCK_BYTES));
  return cipher.update(bytes);
}

/** Bytes and seed of a record, in clear or encrypted. */
interface RecordBytes {
  readonly bytes: Buffer;
  readonly seed?: Buffer;
}

/**
 * Encrypts and decrypts the records of one segment. The counter of a record begins at HMAC(key, name): names differ, so no two
 * records share a keystream, and a record needs no room for a nonce.
 */
export class RecordCipher {
  readonly #key: Buffer;
  readonly #counterKey: Buffer;

  /** @param key key of the segment */
  constructor(key: Uint8Array) {
    this.#key = derived(key, `${RECORD_LABEL}key`);
    this.#counterKey = derived(key, `${RECORD_LABEL}counter`);
  }

  /** @param sha256 name of the record @returns the other form of it, of the same length */
  crypted(sha256: string, bytes: Uint8Array, seed: Uint8Array | undefined): RecordBytes {
    const counter = createHmac('sha256', this.#counterKey).update(sha256).digest().subarray(0, CIPHER_BLOCK_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, counter);
    const other = cipher.update(bytes);
    return seed === undefined ? { bytes: other } : { bytes: other, seed: cipher.update(seed) };
  }
}
