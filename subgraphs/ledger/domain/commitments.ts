import { hash } from 'node:crypto';
import { BlockHasher, type HmacKey, viewOf } from './block-hasher.js';
import { type Leaves, quoted } from './record.js';
import { DIGEST_BYTES } from './sha256-block.js';

export const SEED_BYTES = 32;
const SALT_BYTES = 16;
/** Fields are padded with decoys to a multiple of this, so that their number is not told (evidence.md section 2). */
const PADDING = 8;

/** What the chain covers instead of the record itself. All in lower-case hex. */
export interface Commitments {
  readonly commit: string;
  readonly fields: string;
  /** H(R), the record's name in the write-once store. */
  readonly worm_sha256: string;
}

const COMMIT_TAG = Buffer.from('eas:commit:v1\0');
const FIELD_TAG = 'eas:field:v1\0';
const DECOY_TAG = 'eas:decoy:v1\0';
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

/** Computes an event's commitments (evidence.md section 2). One instance serves one thread; it keeps no event. */
export class Committer {
  readonly #hasher = new BlockHasher();
  readonly #salt = new Room();
  readonly #seedKey: HmacKey = this.#hasher.hmacKey(new Uint8Array(SEED_BYTES));
  readonly #digests = new Room();
  readonly #commitInput = new Room();
  readonly #fieldsInput = new Room();

  /** @param record R's bytes, @param leaves of the same R. */
  commit(seed: Uint8Array, record: Uint8Array, leaves: Leaves): Commitments {
    this.#hasher.hmacKey(seed, this.#seedKey);
    return {
      commit: this.#commit(record),
      fields: this.#fields(leaves),
      worm_sha256: hash('sha256', record, 'hex'),
    };
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
    this.#digests.atLeast(count * DIGEST_BYTES);
    for (let i = 0; i < real; i++) {
      this.#leafDigest(leaves.pointers[i] as string, leaves.values[i] as string, i * DIGEST_BYTES);
    }
    const { view } = this.#digests;
    for (let i = 0; i < count - real; i++) {
      this.#hasher.start().text(`decoy:${i}`).hmacInto(this.#seedKey, this.#salt.view, 0);
      this.#hasher.start().text(DECOY_TAG).bytes(this.#salt.bytes, DIGEST_BYTES);
      this.#hasher.digestInto(view, (real + i) * DIGEST_BYTES);
    }
    return this.#digestOfSorted(count);
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

/** Up to this many an insertion sort is faster than the platform's sort with a comparator. */
const INSERTION_SORTED = 48;

/** Indexes of the digests in the order of their bytes. */
function sortedDigests(digests: DataView, count: number): number[] {
  const prefixes = new Float64Array(count);
  for (let i = 0; i < count; i++) prefixes[i] = digests.getUint32(i * DIGEST_BYTES);
  const precedes = (a: number, b: number): boolean => {
    const difference = (prefixes[a] as number) - (prefixes[b] as number);
    return difference === 0 ? compareDigests(digests, a, b) < 0 : difference < 0;
  };
  const order: number[] = [];
  if (count > INSERTION_SORTED) {
    for (let i = 0; i < count; i++) order.push(i);
    return order.sort((a, b) => (precedes(a, b) ? -1 : 1));
  }
  for (let i = 0; i < count; i++) {
    let place = i;
    for (; place > 0 && precedes(i, order[place - 1] as number); place--) order[place] = order[place - 1] as number;
    order[place] = i;
  }
  return order;
}

/** The first four bytes are equal: the others decide. */
function compareDigests(digests: DataView, a: number, b: number): number {
  for (let i = 4; i < DIGEST_BYTES; i += 4) {
    const difference = digests.getUint32(a * DIGEST_BYTES + i) - digests.getUint32(b * DIGEST_BYTES + i);
    if (difference !== 0) return difference;
  }
  return 0;
}
