import type { HmacKey } from './block-hasher.js';
import { LaneHasher, MAX_LANE_BLOCKS } from './lane-hasher.js';
import { LaneText, PADDING_LEAST_BYTES } from './lane-text.js';
import { type Leaves, quoted } from './record.js';
import { BLOCK_BYTES, DIGEST_BYTES, INITIAL_STATE } from './sha256-block.js';

export const SALT_BYTES = 16;
/** Fields are padded with decoys to a multiple of this, so that their number is not told (evidence.md section 2). */
export const PADDING = 8;
export const FIELD_TAG = 'eas:field:v1\0';
export const DECOY_TAG = 'eas:decoy:v1\0';
const SALT_PREFIX = 'field:';

/** So many leaves stand in memory at a time: about what the processor's first cache holds. */
const CHUNK = 64;
const SLOTS = CHUNK + PADDING;

// A slot: the message of a salt's inner hash, that of its outer hash, and that of the digest.
const OUTER = 2 * BLOCK_BYTES;
const MESSAGE = OUTER + BLOCK_BYTES;
const SLOT_BYTES = MESSAGE + MAX_LANE_BLOCKS * BLOCK_BYTES;
const SALT_LIMIT = OUTER - PADDING_LEAST_BYTES;
const MESSAGE_LIMIT = SLOT_BYTES - PADDING_LEAST_BYTES;
/** Tag, salt, and what JCS([pointer, value]) has beside its texts. */
const AROUND_TEXTS = FIELD_TAG.length + SALT_BYTES + '["",]'.length;
const MOST_TEXT = MESSAGE_LIMIT - MESSAGE - AROUND_TEXTS;
const MOST_POINTER = SALT_LIMIT - SALT_PREFIX.length;

const STAGED_BYTES = CHUNK * MOST_TEXT;
/** A staged text is followed by a word that bounds it. */
const STAGE_BYTES = STAGED_BYTES + 2 * BLOCK_BYTES;
const ROOM_BYTES = SLOTS * (SLOT_BYTES + DIGEST_BYTES) + 2 * STAGE_BYTES + BLOCK_BYTES;

/**
 * Digests of leaves and decoys, hashed in lanes. What never changes – tags, the decoys' messages, the padding of outer
 * hashes – is written once; a leaf's texts are put straight between.
 */
export class LeafLanes {
  readonly #lanes: LaneHasher;
  readonly #text: LaneText;
  readonly #bytes: Buffer;
  readonly #slots: number;
  readonly #digests: number;
  readonly #pointerStage: number;
  readonly #valueStage: number;
  /** The indexes of the leaves in the slots. */
  readonly #leafOf = new Int32Array(CHUNK);
  /** Whether the chunk's pointers and values stand in their stages as their messages need them. */
  #pointersStaged = false;
  #valuesStaged = false;

  private constructor(lanes: LaneHasher) {
    this.#lanes = lanes;
    this.#text = new LaneText(lanes);
    this.#bytes = lanes.bytes;
    this.#slots = Math.ceil(lanes.roomStart / BLOCK_BYTES) * BLOCK_BYTES;
    this.#digests = this.#slots + SLOTS * SLOT_BYTES;
    this.#pointerStage = this.#digests + SLOTS * DIGEST_BYTES;
    this.#valueStage = this.#pointerStage + STAGE_BYTES;
    for (let slot = 0; slot < SLOTS; slot++) this.#prepare(slot);
  }

  /** Undefined where the platform has no vector instructions. */
  static create(): LeafLanes | undefined {
    const lanes = LaneHasher.create(SLOTS, ROOM_BYTES);
    return lanes === undefined ? undefined : new LeafLanes(lanes);
  }

  /**
   * Writes the leaves' digests and then the decoys' to `target`, 32 bytes each, in order.
   *
   * @param key the event's seed.
   * @returns the indexes of leaves too long for lanes: their digests are the caller's to write.
   */
  digestsInto(target: Uint8Array, key: HmacKey, leaves: Leaves, decoys: number): number[] {
    const tooLong: number[] = [];
    this.#lanes.clear();
    const real = leaves.pointers.length;
    for (let first = 0; first < real; first += CHUNK) {
      const end = Math.min(first + CHUNK, real);
      const decoysHere = end === real ? decoys : 0;
      const taken = this.#take(leaves, first, end, tooLong);
      this.#salt(key, leaves, taken, decoysHere);
      this.#digest(leaves, taken, first, tooLong);
      for (let i = 0; i < decoysHere; i++) {
        this.#lanes.add(this.#slot(CHUNK + i) + MESSAGE, 1, this.#digests + (end - first + i) * DIGEST_BYTES);
      }
      this.#lanes.run(INITIAL_STATE);
      const length = (end - first + decoysHere) * DIGEST_BYTES;
      target.set(this.#bytes.subarray(this.#digests, this.#digests + length), first * DIGEST_BYTES);
    }
    return tooLong;
  }

  #slot(index: number): number {
    return this.#slots + index * SLOT_BYTES;
  }

  /** What a slot holds whatever the event; those from CHUNK on are the decoys'. */
  #prepare(index: number): void {
    const slot = this.#slot(index);
    const message = slot + MESSAGE;
    this.#text.pad(slot + OUTER, slot + OUTER + DIGEST_BYTES, BLOCK_BYTES);
    if (index < CHUNK) {
      this.#bytes.write(SALT_PREFIX, slot);
      this.#bytes.write(FIELD_TAG, message);
      return;
    }
    this.#text.pad(slot, slot + this.#bytes.write(`decoy:${index - CHUNK}`, slot), BLOCK_BYTES);
    this.#bytes.write(DECOY_TAG, message);
    this.#text.pad(message, message + DECOY_TAG.length + DIGEST_BYTES, 0);
  }

  /** Gives slots to the leaves that are short enough, stages their texts, and says how many they are. */
  #take(leaves: Leaves, first: number, end: number, tooLong: number[]): number {
    let taken = 0;
    let pointers = '';
    let values = '';
    for (let i = first; i < end; i++) {
      const pointer = leaves.pointers[i] as string;
      const value = leaves.values[i] as string;
      if (exceeds(pointer, MOST_POINTER) || pointer.length + value.length > MOST_TEXT) {
        tooLong.push(i);
        continue;
      }
      this.#leafOf[taken++] = i;
      pointers += pointer;
      values += value;
    }
    this.#pointersStaged =
      this.#text.stage(pointers, this.#pointerStage, STAGED_BYTES) &&
      this.#text.isPlain(this.#pointerStage, pointers.length);
    this.#valuesStaged = this.#text.stage(values, this.#valueStage, STAGED_BYTES);
    return taken;
  }

  /** salt_p = HMAC(seed, "field:" ‖ p), put after the tag of its message. */
  #salt(key: HmacKey, leaves: Leaves, taken: number, decoys: number): void {
    const lanes = this.#lanes;
    let staged = this.#pointerStage;
    for (let i = 0; i < taken; i++) {
      const slot = this.#slot(i);
      const pointer = leaves.pointers[this.#leafOf[i] as number] as string;
      const at = slot + SALT_PREFIX.length;
      const end = this.#pointersStaged
        ? this.#text.copy(staged, at, pointer.length)
        : this.#text.write(pointer, at, slot + SALT_LIMIT);
      staged += pointer.length;
      lanes.add(slot, this.#text.pad(slot, end, BLOCK_BYTES), slot + OUTER);
    }
    for (let i = CHUNK; i < CHUNK + decoys; i++) lanes.add(this.#slot(i), 1, this.#slot(i) + OUTER);
    lanes.run(key.inner);
    for (let i = 0; i < taken; i++) lanes.add(this.#slot(i) + OUTER, 1, this.#slot(i) + MESSAGE + FIELD_TAG.length);
    for (let i = CHUNK; i < CHUNK + decoys; i++) {
      lanes.add(this.#slot(i) + OUTER, 1, this.#slot(i) + MESSAGE + DECOY_TAG.length);
    }
    lanes.run(key.outer);
  }

  /** d_p = D("field", salt_p[:16] ‖ JCS([p, value])): the text goes over the salt's second half. */
  #digest(leaves: Leaves, taken: number, first: number, tooLong: number[]): void {
    let stagedPointer = this.#pointerStage;
    let stagedValue = this.#valueStage;
    for (let i = 0; i < taken; i++) {
      const leaf = this.#leafOf[i] as number;
      const message = this.#slot(i) + MESSAGE;
      const pointer = leaves.pointers[leaf] as string;
      const value = leaves.values[leaf] as string;
      const pointerEnd = this.#pointer(message, pointer, stagedPointer);
      const end = pointerEnd === 0 ? 0 : this.#value(message, value, pointerEnd, stagedValue);
      stagedPointer += pointer.length;
      stagedValue += value.length;
      if (end === 0) tooLong.push(leaf);
      else this.#lanes.add(message, this.#text.pad(message, end, 0), this.#digests + (leaf - first) * DIGEST_BYTES);
    }
  }

  #pointer(message: number, pointer: string, staged: number): number {
    const bytes = this.#bytes;
    const start = message + FIELD_TAG.length + SALT_BYTES;
    bytes[start] = 0x5b;
    if (!this.#pointersStaged) return this.#text.write(quoted(pointer), start + 1, message - MESSAGE + MESSAGE_LIMIT);
    bytes[start + 1] = 0x22;
    const end = this.#text.copy(staged, start + 2, pointer.length);
    bytes[end] = 0x22;
    return end + 1;
  }

  #value(message: number, value: string, pointerEnd: number, staged: number): number {
    const bytes = this.#bytes;
    // The last byte is the closing bracket's.
    const limit = message - MESSAGE + MESSAGE_LIMIT - 1;
    const start = pointerEnd + 1;
    if (start + value.length > limit) return 0;
    bytes[pointerEnd] = 0x2c;
    const end = this.#valuesStaged
      ? this.#text.copy(staged, start, value.length)
      : this.#text.write(value, start, limit);
    if (end === 0) return 0;
    bytes[end] = 0x5d;
    return end + 1;
  }
}

/** Whether text has more bytes of UTF-8; they are only counted where the length leaves it open. */
const exceeds = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
