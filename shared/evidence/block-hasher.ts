import { hash } from 'node:crypto';
import { BLOCK_BYTES, compress, DIGEST_BYTES, initialState, resetState, type Sha256State } from './sha256-block.js';

// Above this the platform's hash is faster than the block function, whatever its call costs.
const NATIVE_OVER_BYTES = 320;
const FIRST_SCRATCH_BYTES = 4096;
/** Longer text is written by the platform's encoder; for shorter, the call costs more than the loop. */
const LOOPED_TEXT_LENGTH = 48;
/** A message begins one block into the scratch, so that an HMAC pad can stand before it. */
const START = BLOCK_BYTES;

/** A saved HMAC key (RFC 2104): each short message then costs two blocks instead of four. */
export interface HmacKey {
  readonly inner: Sha256State;
  readonly outer: Sha256State;
  readonly innerPad: Buffer;
}

/**
 * SHA-256 and HMAC-SHA-256 of short messages, written piece by piece into one scratch buffer: `start`, `text`/`bytes`,
 * then one of the ends. One instance serves one thread; nothing survives between messages.
 */
export class BlockHasher {
  #scratch = Buffer.alloc(FIRST_SCRATCH_BYTES);
  #view = viewOf(this.#scratch);
  #end = START;
  readonly #state = initialState();
  readonly #pad = Buffer.alloc(BLOCK_BYTES);
  readonly #padView = viewOf(this.#pad);

  /** Begins a message. */
  start(): this {
    this.#end = START;
    return this;
  }

  /** Adds text as UTF-8. */
  text(text: string): this {
    this.#reserve(text.length * 3);
    const scratch = this.#scratch;
    const start = this.#end;
    let seen = text.length > LOOPED_TEXT_LENGTH ? 0x80 : 0;
    if (seen === 0) {
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        seen |= unit;
        scratch[start + i] = unit;
      }
    }
    // Plain ASCII is its own UTF-8; anything else goes through the encoder, over what the loop wrote.
    this.#end = start + (seen < 0x80 ? text.length : scratch.write(text, start, 'utf8'));
    return this;
  }

  /** Adds the first `length` bytes. */
  bytes(bytes: Uint8Array, length = bytes.length): this {
    this.#reserve(length);
    for (let i = 0; i < length; i++) this.#scratch[this.#end + i] = bytes[i] as number;
    this.#end += length;
    return this;
  }

  /** SHA-256 of the message, into 32 bytes of `target` at `at`. */
  digestInto(target: DataView, at: number): void {
    if (this.#end - START > NATIVE_OVER_BYTES) {
      writeBinary(hash('sha256', this.#scratch.subarray(START, this.#end), 'binary'), target, at);
      return;
    }
    resetState(this.#state);
    this.#finish(0);
    this.#write(target, at);
  }

  /** HMAC-SHA-256 of the message under `key`, into 32 bytes of `target` at `at`. */
  hmacInto(key: HmacKey, target: DataView, at: number): void {
    if (this.#end - START > NATIVE_OVER_BYTES) {
      this.#scratch.set(key.innerPad, 0);
      writeBinary(hash('sha256', this.#scratch.subarray(0, this.#end), 'binary'), this.#view, START);
    } else {
      this.#state.set(key.inner);
      this.#finish(BLOCK_BYTES);
      this.#write(this.#view, START);
    }
    this.#end = START + DIGEST_BYTES;
    this.#state.set(key.outer);
    this.#finish(BLOCK_BYTES);
    this.#write(target, at);
  }

  /** Saves a key of at most 64 bytes, into `into` where one is given. */
  hmacKey(key: Uint8Array, into?: HmacKey): HmacKey {
    const saved: HmacKey = into ?? {
      inner: initialState(),
      outer: initialState(),
      innerPad: Buffer.alloc(BLOCK_BYTES),
    };
    this.#padWith(key, 0x36, saved.inner);
    saved.innerPad.set(this.#pad, 0);
    this.#padWith(key, 0x5c, saved.outer);
    return saved;
  }

  #padWith(key: Uint8Array, mask: number, state: Sha256State): void {
    for (let i = 0; i < BLOCK_BYTES; i++) this.#pad[i] = (i < key.length ? (key[i] as number) : 0) ^ mask;
    resetState(state);
    compress(state, this.#padView, 0);
  }

  /** Pads (FIPS 180-4 section 5.1.1) and folds every block in; `before` bytes are in the state already. */
  #finish(before: number): void {
    const scratch = this.#scratch;
    const length = this.#end - START;
    const paddedEnd = START + ((length + 9 + BLOCK_BYTES - 1) & ~(BLOCK_BYTES - 1));
    scratch[this.#end] = 0x80;
    for (let i = this.#end + 1; i < paddedEnd - 4; i++) scratch[i] = 0;
    this.#view.setInt32(paddedEnd - 4, (before + length) * 8);
    for (let offset = START; offset < paddedEnd; offset += BLOCK_BYTES) compress(this.#state, this.#view, offset);
  }

  #write(target: DataView, at: number): void {
    const state = this.#state;
    target.setInt32(at, state[0] as number);
    target.setInt32(at + 4, state[1] as number);
    target.setInt32(at + 8, state[2] as number);
    target.setInt32(at + 12, state[3] as number);
    target.setInt32(at + 16, state[4] as number);
    target.setInt32(at + 20, state[5] as number);
    target.setInt32(at + 24, state[6] as number);
    target.setInt32(at + 28, state[7] as number);
  }

  #reserve(more: number): void {
    const needed = this.#end + more + 2 * BLOCK_BYTES;
    if (needed <= this.#scratch.length) return;
    const larger = Buffer.alloc(needed * 2);
    larger.set(this.#scratch.subarray(0, this.#end));
    this.#scratch = larger;
    this.#view = viewOf(larger);
  }
}

/** A digest as the platform gives it fastest: one character a byte. */
function writeBinary(digest: string, target: DataView, at: number): void {
  for (let i = 0; i < DIGEST_BYTES; i++) target.setUint8(at + i, digest.charCodeAt(i));
}

export const viewOf = (buffer: Buffer): DataView => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
