import { BLOCK_BYTES, compress, DIGEST_BYTES, INITIAL_STATE } from './sha256-block.js';

/** A saved HMAC-SHA-256 key (RFC 2104): a short message costs two blocks instead of four. */
export interface HmacKey {
  readonly inner: Int32Array;
  readonly outer: Int32Array;
}

/**
 * SHA-256 and HMAC-SHA-256 of many short messages, written in parts into one buffer: `start`, then `text` or `bytes`, then
 * an end call. An event needs about fifty hashes, and an object per hash would cost more than the hash.
 */
export class ShortHasher {
  #room = new Uint8Array(4096);
  #view = new DataView(this.#room.buffer);
  #end = 0;
  readonly #state = new Int32Array(DIGEST_BYTES / 4);
  readonly #encoder = new TextEncoder();
  readonly #inner = new Uint8Array(DIGEST_BYTES);

  start(): this {
    this.#end = 0;
    return this;
  }

  text(text: string): this {
    this.#reserve(text.length * 3);
    const room = this.#room;
    const at = this.#end;
    let seen = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      seen |= unit;
      room[at + i] = unit;
    }
    // ASCII equals its UTF-8; any other text is encoded over the loop's output.
    this.#end = at + (seen < 0x80 ? text.length : this.#encoder.encodeInto(text, room.subarray(at)).written);
    return this;
  }

  bytes(bytes: Uint8Array, length = bytes.length): this {
    this.#reserve(length);
    for (let i = 0; i < length; i++) this.#room[this.#end + i] = bytes[i] ?? 0;
    this.#end += length;
    return this;
  }

  /** The current message; valid until the next start. */
  get written(): Uint8Array {
    return this.#room.subarray(0, this.#end);
  }

  /** Writes the SHA-256 of the message to `target` at `at`, continued from state `from` after `before` bytes. */
  digestInto(target: Uint8Array, at: number, from: Int32Array = INITIAL_STATE, before = 0): void {
    const length = this.#end;
    const padded = (length + 9 + BLOCK_BYTES - 1) & ~(BLOCK_BYTES - 1);
    this.#reserve(padded - length);
    this.#room[length] = 0x80;
    for (let i = length + 1; i < padded - 4; i++) this.#room[i] = 0;
    this.#view.setUint32(padded - 4, (before + length) * 8);
    const state = this.#state;
    for (let i = 0; i < state.length; i++) state[i] = from[i] ?? 0;
    for (let offset = 0; offset < padded; offset += BLOCK_BYTES) compress(state, this.#view, offset);
    for (let i = 0; i < DIGEST_BYTES; i++) target[at + i] = (state[i >> 2] ?? 0) >>> (24 - 8 * (i & 3));
  }

  /** Writes the HMAC of the message to 32 bytes of `target` at `at`. */
  hmacInto(key: HmacKey, target: Uint8Array, at: number): void {
    this.digestInto(this.#inner, 0, key.inner, BLOCK_BYTES);
    this.start().bytes(this.#inner).digestInto(target, at, key.outer, BLOCK_BYTES);
  }

  /** @param key at most 64 bytes */
  hmacKey(key: Uint8Array): HmacKey {
    return { inner: padded(key, 0x36), outer: padded(key, 0x5c) };
  }

  #reserve(more: number): void {
    const needed = this.#end + more + 2 * BLOCK_BYTES;
    if (needed <= this.#room.length) return;
    const larger = new Uint8Array(needed * 2);
    larger.set(this.#room.subarray(0, this.#end));
    this.#room = larger;
    this.#view = new DataView(larger.buffer);
  }
}

function padded(key: Uint8Array, mask: number): Int32Array {
  const pad = new Uint8Array(BLOCK_BYTES).fill(mask);
  for (let i = 0; i < key.length; i++) pad[i] = (key[i] ?? 0) ^ mask;
  const state = Int32Array.from(INITIAL_STATE);
  compress(state, new DataView(pad.buffer), 0);
  return state;
}
