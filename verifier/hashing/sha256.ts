import { BLOCK_BYTES, compress, DIGEST_BYTES, INITIAL_STATE } from '../../shared/hashing/sha256-block.js';
import { toHex } from '../text/bytes.js';

/** SHA-256 in plain JavaScript, for platforms without a synchronous one. */
export class Sha256 {
  readonly #state: Int32Array;
  readonly #block = new Uint8Array(BLOCK_BYTES);
  readonly #view = new DataView(this.#block.buffer);
  #length: number;

  /** @param state state after `length` bytes (whole blocks) to continue from */
  constructor(state: Int32Array = INITIAL_STATE, length = 0) {
    this.#state = Int32Array.from(state);
    this.#length = length;
  }

  update(bytes: Uint8Array): this {
    const filled = this.#length % BLOCK_BYTES;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(bytes.length, BLOCK_BYTES - filled);
      this.#block.set(bytes.subarray(0, at), filled);
      if (filled + at < BLOCK_BYTES) return this;
      compress(this.#state, this.#view, 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) compress(this.#state, view, at);
    this.#block.set(bytes.subarray(at), 0);
    return this;
  }

  digest(): Uint8Array {
    const bits = this.#length * 8;
    const filled = this.#length % BLOCK_BYTES;
    this.#block.fill(0, filled);
    this.#block[filled] = 0x80;
    if (filled >= BLOCK_BYTES - 8) {
      compress(this.#state, this.#view, 0);
      this.#block.fill(0);
    }
    this.#view.setUint32(BLOCK_BYTES - 8, Math.floor(bits / 2 ** 32));
    this.#view.setUint32(BLOCK_BYTES - 4, bits >>> 0);
    compress(this.#state, this.#view, 0);
    const digest = new Uint8Array(DIGEST_BYTES);
    const words = new DataView(digest.buffer);
    this.#state.forEach((word, i) => void words.setInt32(4 * i, word));
    return digest;
  }

  hex(): string {
    return toHex(this.digest());
  }
}
