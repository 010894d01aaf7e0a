import { hash } from 'node:crypto';
import { BLOCK_BYTES, compress, DIGEST_BYTES, initialState, resetState, type Sha256State } from './sha256-block.js';

// Above this the platform's hash is faster than the block function, whatever its call costs.
const NATIVE_OVER_BYTES = 320;
const FIRST_SCRATCH_BYTES = 4096;
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
    let at = this.#end;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        // The rest goes through the platform's encoder; what was written so far is plain ASCII.
        this.#end = at + scratch.write(i === 0 ? text : text.slice(i), at, 'utf8');
        return this;
      }
      scratch[at++] = unit;
    }
    this.#end = at;
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
  digestInto(target: Buffer, at: number): void {
    if (this.#end - START > NATIVE_OVER_BYTES) {
      target.write(hash('sha256', this.#scratch.subarray(START, this.#end), 'hex'), at, 'hex');
      return;
    }
    resetState(this.#state);
    this.#finish(0);
    this.#write(target, at);
  }

  /** HMAC-SHA-256 of the message under `key`, into 32 bytes of `target` at `at`. */
  hmacInto(key: HmacKey, target: Buffer, at: number): void {
    if (this.#end - START > NATIVE_OVER_BYTES) {
      this.#scratch.set(key.innerPad, 0);
      this.#scratch.write(hash('sha256', this.#scratch.subarray(0, this.#end), 'hex'), START, 'hex');
    } else {
      this.#state.set(key.inner);
      this.#finish(BLOCK_BYTES);
      this.#write(this.#scratch, START);
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

  #write(target: Buffer, at: number): void {
    for (let i = 0, place = at; i < 8; i++) {
      const word = this.#state[i] as number;
      target[place++] = word >>> 24;
      target[place++] = word >>> 16;
      target[place++] = word >>> 8;
      target[place++] = word;
    }
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

const viewOf = (buffer: Buffer): DataView => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
