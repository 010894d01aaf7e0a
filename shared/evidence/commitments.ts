import { hash } from 'node:crypto';
import { BlockHasher, type HmacKey, viewOf } from './block-hasher.js';
import { DECOY_TAG, FIELD_TAG, LeafLanes, PADDING, SALT_BYTES } from './leaf-lanes.js';
import { type Leaves, quoted } from './record.js';
import { DIGEST_BYTES } from './sha256-block.js';
import { sortedDigests } from './sorted-digests.js';

export const SEED_BYTES = 32;

/** What the chain covers instead of the record itself. All in lower-case hex. */
export interface Commitments {
  readonly commit: string;
  readonly fields: string;
  /** H(R), the record's name in the write-once store. */
  readonly worm_sha256: string;
}

const COMMIT_TAG = Buffer.from('eas:commit:v1\0');
const FIELDS_TAG = Buffer.from('eas:fields:v1\0');

/** A buffer that grows, and its view for writing whole words. */
class Room {
  bytes = Buffer.alloc(4096);
  view = viewOf(this.bytes);

  /** Grows to `length`; what was in it is lost. */
  atLeast(length: number): Buffer {
    if (this.bytes.length < length) {
      this.bytes = Buffer.alloc(length * 2);
      this.view = viewOf(this.bytes);
    }
    return this.bytes;
  }
}

// One for the thread, as a memory of WebAssembly reserves much address space; no event reads what another left.
let laneHashing: { readonly lanes: LeafLanes | null } | undefined;

function sharedLanes(): LeafLanes | null {
  laneHashing ??= { lanes: LeafLanes.create() ?? null };
  return laneHashing.lanes;
}

/** Computes an event's commitments (evidence.md section 2). One instance serves one thread; it keeps no event. */
export class Committer {
  readonly #hasher = new BlockHasher();
  readonly #salt = new Room();
  readonly #seedKey: HmacKey = this.#hasher.hmacKey(new Uint8Array(SEED_BYTES));
  readonly #digests = new Room();
  readonly #commitInput = new Room();
  readonly #fieldsInput = new Room();
  readonly #lanes: LeafLanes | null;

  /** @param lanes null: every hash on its own, as where the platform has no vector instructions. */
  constructor(lanes: LeafLanes | null = sharedLanes()) {
    this.#lanes = lanes;
  }

  /** @param record R's bytes, @param leaves of the same R. */
  commit(seed: Uint8Array, record: Uint8Array, leaves: Leaves): Commitments {
    this.#hasher.hmacKey(seed, this.#seedKey);
    return {
      commit: this.#commit(record),
      fields: this.#fields(leaves),
      worm_sha256: hash('sha256', record, 'hex'),
    };
  }

  /** The commitment to a record alone, without its fields. */
  recordCommit(seed: Uint8Array, record: Uint8Array): string {
    this.#hasher.hmacKey(seed, this.#seedKey);
    return this.#commit(record);
  }

  /** Digest d_p of one leaf, as hex: what a disclosed field is checked against. */
  fieldDigest(seed: Uint8Array, pointer: string, valueJson: string): string {
    this.#hasher.hmacKey(seed, this.#seedKey);
    this.#leafDigest(pointer, valueJson, 0);
    return this.#digests.bytes.toString('hex', 0, DIGEST_BYTES);
  }

  #commit(record: Uint8Array): string {
    const start = COMMIT_TAG.length + DIGEST_BYTES;
    const length = start + record.length;
    const input = this.#commitInput.atLeast(length);
    input.set(COMMIT_TAG, 0);
    this.#hasher.start().text('commit').hmacInto(this.#seedKey, this.#commitInput.view, COMMIT_TAG.length);
    input.set(record, start);
    return hash('sha256', input.subarray(0, length), 'hex');
  }

  #fields(leaves: Leaves): string {
    const real = leaves.pointers.length;
    const count = Math.ceil(real / PADDING) * PADDING;
    const digests = this.#digests.atLeast(count * DIGEST_BYTES);
    if (this.#lanes === null) this.#digestsOneByOne(leaves, count - real);
    else {
      for (const i of this.#lanes.digestsInto(digests, this.#seedKey, leaves, count - real))
        this.#leafDigestAt(leaves, i);
    }
    return this.#digestOfSorted(count);
  }

  #digestsOneByOne(leaves: Leaves, decoys: number): void {
    const real = leaves.pointers.length;
    for (let i = 0; i < real; i++) this.#leafDigestAt(leaves, i);
    for (let i = 0; i < decoys; i++) {
      this.#hasher.start().text(`decoy:${i}`).hmacInto(this.#seedKey, this.#salt.view, 0);
      this.#hasher.start().text(DECOY_TAG).bytes(this.#salt.bytes, DIGEST_BYTES);
      this.#hasher.digestInto(this.#digests.view, (real + i) * DIGEST_BYTES);
    }
  }

  #leafDigestAt(leaves: Leaves, index: number): void {
    this.#leafDigest(leaves.pointers[index] as string, leaves.values[index] as string, index * DIGEST_BYTES);
  }

  /** salt_p = HMAC(seed, "field:" ‖ p)[:16]; d_p = D("field", salt_p ‖ JCS([p, value])). */
  #leafDigest(pointer: string, valueJson: string, at: number): void {
    this.#hasher.start().text('field:').text(pointer).hmacInto(this.#seedKey, this.#salt.view, 0);
    const leaf = this.#hasher.start().text(FIELD_TAG).bytes(this.#salt.bytes, SALT_BYTES);
    leaf.text('[').text(quoted(pointer)).text(',').text(valueJson).text(']').digestInto(this.#digests.view, at);
  }

  /** Sorted as bytes, so that a digest's place does not tell its pointer. */
  #digestOfSorted(count: number): string {
    const length = FIELDS_TAG.length + count * DIGEST_BYTES;
    const input = this.#fieldsInput.atLeast(length);
    input.set(FIELDS_TAG, 0);
    const from = this.#digests.view;
    const to = this.#fieldsInput.view;
    let place = FIELDS_TAG.length;
    for (const index of sortedDigests(from, count)) {
      const start = index * DIGEST_BYTES;
      for (let i = 0; i < DIGEST_BYTES; i += 4) to.setInt32(place + i, from.getInt32(start + i));
      place += DIGEST_BYTES;
    }
    return hash('sha256', input.subarray(0, length), 'hex');
  }
}
