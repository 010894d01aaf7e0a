import { LaneHasher, MAX_LANE_BLOCKS } from './lane-hasher.js';
import type { LeafPath } from './leaf-path.js';
import { BLOCK_BYTES, DIGEST_BYTES } from './sha256-block.js';
import type { HmacKey } from './short-hasher.js';

/** Fields are padded to a multiple of this with decoys (evidence.md section 2). */
export const PADDING = 8;
export const SALT_BYTES = 16;

// D(tag, x…) = H("eas:" ‖ tag ‖ ":v1" ‖ 0x00 ‖ x…).
export const FIELD_TAG = 'eas:field:v1\0';
export const DECOY_TAG = 'eas:decoy:v1\0';
export const SALT_PREFIX = 'field:';

/** The byte 0x80 and the length in bits; messages in lanes need only two bytes of the length. */
const PADDING_LEAST_BYTES = 9;

/** Number of leaves per run: about the size of the processor's first cache. */
const LEAVES = 64;
/** After the leaves: a record's decoys, and the salt of its commitment. */
const COMMIT_SLOT = LEAVES + PADDING;
const SLOTS = COMMIT_SLOT + 1;

// A slot: the message of a salt's outer hash, the salt, and the message of the digest.
const SALT = BLOCK_BYTES;
const MESSAGE = 2 * BLOCK_BYTES;
const SLOT_BYTES = MESSAGE + MAX_LANE_BLOCKS * BLOCK_BYTES;
/** The last byte is for the closing bracket. */
const MOST_MESSAGE = MAX_LANE_BLOCKS * BLOCK_BYTES - PADDING_LEAST_BYTES - 1;
const PREFIX_FROM = FIELD_TAG.length + SALT_BYTES;

// A pointer: the message of its salt's inner hash, and the bytes before a value in the digest's message.
export const MOST_PATHS = 2048;
const PATH_BYTES = 4 * BLOCK_BYTES;
const PREFIX = 2 * BLOCK_BYTES;
const MOST_SALT_MESSAGE = PREFIX - PADDING_LEAST_BYTES;
const MOST_PREFIX = PATH_BYTES - PREFIX - 4;
/** After the inner messages of decoys and commitment: the two blocks of a key, and their states. */
const KEY_BLOCKS = PADDING + 1;
const KEY_STATES = KEY_BLOCKS + 2;
const STATIC_BYTES = (KEY_STATES + 1) * BLOCK_BYTES;
const INNER_PAD = 0x36363636;
const OUTER_PAD = 0x5c5c5c5c;

const ROOM_BYTES = SLOTS * (SLOT_BYTES + DIGEST_BYTES) + STATIC_BYTES + MOST_PATHS * PATH_BYTES + BLOCK_BYTES;

/** Receives digests in any order; they are sorted later. */
interface DigestSink {
  take(bytes: Uint8Array, from: number, count: number): void;
}

/**
 * Hashes a record's leaves and decoys, and the salt of its commitment, in lanes. Writes the bytes that all records share
 * only once: tags, decoys, pointers, and the padding of outer hashes.
 */
export class LeafLanes {
  readonly #lanes: LaneHasher;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #words: Int32Array;
  readonly #encoder = new TextEncoder();
  readonly #slots: number;
  readonly #digests: number;
  /** The inner messages of decoys and commitment. */
  readonly #static: number;
  readonly #paths: number;
  #pathCount = 0;
  #taken = 0;
  readonly #pathOf: LeafPath[] = [];
  readonly #blocksOf = new Uint8Array(LEAVES);

  private constructor(lanes: LaneHasher) {
    this.#lanes = lanes;
    this.#bytes = lanes.bytes;
    this.#view = new DataView(lanes.bytes.buffer);
    this.#words = new Int32Array(lanes.bytes.buffer);
    this.#slots = lanes.roomStart;
    this.#digests = this.#slots + SLOTS * SLOT_BYTES;
    this.#static = Math.ceil((this.#digests + SLOTS * DIGEST_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
    this.#paths = this.#static + STATIC_BYTES;
    for (let slot = 0; slot < SLOTS; slot++) this.#prepare(slot);
    for (let i = 0; i <= PADDING; i++) {
      const at = this.#static + i * BLOCK_BYTES;
      this.#pad(at, this.#ascii(i < PADDING ? `decoy:${i}` : 'commit', at), BLOCK_BYTES);
    }
    const keys = (this.#static + KEY_BLOCKS * BLOCK_BYTES) >> 2;
    this.#words.fill(INNER_PAD, keys, keys + BLOCK_BYTES / 4);
    this.#words.fill(OUTER_PAD, keys + BLOCK_BYTES / 4, keys + (2 * BLOCK_BYTES) / 4);
  }

  /** Returns null if the platform has no vector instructions. */
  static create(): LeafLanes | null {
    const lanes = LaneHasher.create(SLOTS, ROOM_BYTES);
    return lanes === null ? null : new LeafLanes(lanes);
  }

  /** Writes the HMAC key of a 32-byte seed (machine words) into `key`; no leaf may be pending. */
  keyInto(seed: Int32Array, key: HmacKey): void {
    const lanes = this.#lanes;
    const blocks = this.#static + KEY_BLOCKS * BLOCK_BYTES;
    const states = this.#static + KEY_STATES * BLOCK_BYTES;
    for (let i = 0; i < seed.length; i++) {
      this.#words[(blocks >> 2) + i] = (seed[i] ?? 0) ^ INNER_PAD;
      this.#words[((blocks + BLOCK_BYTES) >> 2) + i] = (seed[i] ?? 0) ^ OUTER_PAD;
    }
    lanes.add(blocks, 1, states);
    lanes.add(blocks + BLOCK_BYTES, 1, states + DIGEST_BYTES);
    lanes.run();
    for (let i = 0; i < DIGEST_BYTES / 4; i++) {
      key.inner[i] = this.#view.getInt32(states + 4 * i);
      key.outer[i] = this.#view.getInt32(states + DIGEST_BYTES + 4 * i);
    }
  }

  /** Drops all known paths; the caller must not pass one of them again. */
  forgetPaths(): void {
    this.#pathCount = 0;
  }

  get taken(): number {
    return this.#taken;
  }

  get hasRoom(): boolean {
    return this.#taken < LEAVES;
  }

  /** Drops the pending leaves of an unfinished record. */
  drop(): void {
    this.#taken = 0;
  }

  /** Adds the leaf with its value at `start` to `end` of the text; returns false for a leaf too long for lanes. */
  take(path: LeafPath, text: string, start: number, end: number): boolean {
    if (path.prefixAt === 0 && !this.#learn(path)) return false;
    const length = end - start;
    const { prefixLength } = path;
    if (PREFIX_FROM + prefixLength + length > MOST_MESSAGE) return false;
    const message = this.#slot(this.#taken) + MESSAGE;
    const view = this.#view;
    const from = path.prefixAt;
    const valueAt = message + PREFIX_FROM + prefixLength;
    for (let i = 0; i < prefixLength; i += 4)
      view.setInt32(message + PREFIX_FROM + i, view.getInt32(from + i, true), true);
    const valueEnd = this.#value(text, start, end, valueAt, message + MOST_MESSAGE);
    if (valueEnd === 0) return false;
    this.#bytes[valueEnd] = 0x5d;
    this.#blocksOf[this.#taken] = this.#pad(message, valueEnd + 1, 0);
    this.#pathOf[this.#taken] = path;
    this.#taken++;
    return true;
  }

  /**
   * Hashes the added leaves.
   *
   * @param key HMAC key of the record's seed
   * @param decoys number of decoys, with a record's last leaves
   * @param commitSalt place for the salt of the commitment, with a record's last leaves
   */
  run(key: HmacKey, sink: DigestSink, decoys = 0, commitSalt?: Uint8Array): void {
    const lanes = this.#lanes;
    const taken = this.#taken;
    this.#taken = 0;
    this.#salts(key, taken, decoys, commitSalt !== undefined);
    if (commitSalt !== undefined) {
      const at = this.#slot(COMMIT_SLOT) + SALT;
      commitSalt.set(this.#bytes.subarray(at, at + DIGEST_BYTES));
    }
    const words = this.#words;
    const view = this.#view;
    for (let i = 0; i < taken; i++) {
      const slot = this.#slot(i);
      const message = slot + MESSAGE;
      for (let word = 0; word < SALT_BYTES; word += 4) {
        view.setInt32(message + FIELD_TAG.length + word, words[(slot + SALT + word) >> 2] ?? 0, true);
      }
      lanes.add(message, this.#blocksOf[i] ?? 0, this.#digests + i * DIGEST_BYTES);
    }
    for (let i = 0; i < decoys; i++) {
      lanes.add(this.#slot(LEAVES + i) + MESSAGE, 1, this.#digests + (taken + i) * DIGEST_BYTES);
    }
    lanes.run();
    sink.take(this.#bytes, this.#digests, taken + decoys);
  }

  /** HMAC(seed, "field:" ‖ pointer), HMAC(seed, "decoy:" ‖ i), HMAC(seed, "commit"). */
  #salts(key: HmacKey, taken: number, decoys: number, withCommit: boolean): void {
    const lanes = this.#lanes;
    for (let i = 0; i < taken; i++) {
      const path = this.#pathOf[i];
      if (path !== undefined) lanes.add(path.saltAt, path.saltBlocks, this.#slot(i));
    }
    for (let i = 0; i < decoys; i++) lanes.add(this.#static + i * BLOCK_BYTES, 1, this.#slot(LEAVES + i));
    if (withCommit) lanes.add(this.#static + PADDING * BLOCK_BYTES, 1, this.#slot(COMMIT_SLOT));
    lanes.run(key.inner);
    for (let i = 0; i < taken; i++) lanes.add(this.#slot(i), 1, this.#slot(i) + SALT);
    for (let i = 0; i < decoys; i++) {
      const slot = this.#slot(LEAVES + i);
      lanes.add(slot, 1, slot + MESSAGE + DECOY_TAG.length);
    }
    if (withCommit) lanes.add(this.#slot(COMMIT_SLOT), 1, this.#slot(COMMIT_SLOT) + SALT);
    lanes.run(key.outer);
  }

  #slot(index: number): number {
    return this.#slots + index * SLOT_BYTES;
  }

  /** Writes the bytes of a slot that all records share. */
  #prepare(index: number): void {
    const slot = this.#slot(index);
    const message = slot + MESSAGE;
    this.#pad(slot, slot + DIGEST_BYTES, BLOCK_BYTES);
    this.#ascii(index < LEAVES ? FIELD_TAG : DECOY_TAG, message);
    if (index >= LEAVES) this.#pad(message, message + DECOY_TAG.length + DIGEST_BYTES, 0);
  }

  /** Writes the messages of a pointer; returns false if it is too long or no place is left. */
  #learn(path: LeafPath): boolean {
    const salt = this.#encoder.encode(SALT_PREFIX + path.pointer);
    const prefix = this.#encoder.encode(`[${path.quoted},`);
    if (salt.length > MOST_SALT_MESSAGE || prefix.length > MOST_PREFIX || this.#pathCount === MOST_PATHS) return false;
    const at = this.#paths + this.#pathCount++ * PATH_BYTES;
    this.#bytes.set(salt, at);
    this.#bytes.set(prefix, at + PREFIX);
    path.saltAt = at;
    path.saltBlocks = this.#pad(at, at + salt.length, BLOCK_BYTES);
    path.prefixAt = at + PREFIX;
    path.prefixLength = prefix.length;
    return true;
  }

  #ascii(text: string, at: number): number {
    return at + this.#encoder.encodeInto(text, this.#bytes.subarray(at)).written;
  }

  /** Writes a value as UTF-8 and returns its end, or 0 beyond the limit. */
  #value(text: string, start: number, end: number, at: number, limit: number): number {
    const bytes = this.#bytes;
    const shift = at - start;
    let seen = 0;
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      seen |= unit;
      bytes[shift + i] = unit;
    }
    // ASCII equals its UTF-8; any other text is encoded over the loop's output.
    if (seen < 0x80) return shift + end;
    const { read, written } = this.#encoder.encodeInto(text.slice(start, end), bytes.subarray(at, limit));
    return read === end - start ? at + written : 0;
  }

  /**
   * Pads a message in place (FIPS 180-4 section 5.1.1) and returns its number of blocks.
   *
   * @param start a multiple of four
   * @param before number of bytes that the lane's first state already contains
   */
  #pad(start: number, end: number, before: number): number {
    const blocks = (end - start + PADDING_LEAST_BYTES + BLOCK_BYTES - 1) >> 6;
    const paddedEnd = start + blocks * BLOCK_BYTES;
    const bytes = this.#bytes;
    const words = this.#words;
    bytes[end] = 0x80;
    let at = end + 1;
    for (; (at & 3) !== 0; at++) bytes[at] = 0;
    for (at >>= 2; at < paddedEnd >> 2; at++) words[at] = 0;
    const bits = (before + end - start) * 8;
    bytes[paddedEnd - 2] = bits >> 8;
    bytes[paddedEnd - 1] = bits;
    return blocks;
  }
}
