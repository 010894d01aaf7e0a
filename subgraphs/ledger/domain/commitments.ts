import { hash } from 'node:crypto';
import { BlockHasher, type HmacKey } from './block-hasher.js';
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

/** Computes an event's commitments (evidence.md section 2). One instance serves one thread; it keeps no event. */
export class Committer {
  readonly #hasher = new BlockHasher();
  readonly #salt = Buffer.alloc(DIGEST_BYTES);
  readonly #seedKey: HmacKey = this.#hasher.hmacKey(new Uint8Array(SEED_BYTES));
  #digests = Buffer.alloc(64 * DIGEST_BYTES);
  #commitInput = Buffer.alloc(4096);
  #fieldsInput = Buffer.alloc(4096);

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
    return this.#digests.toString('hex', 0, DIGEST_BYTES);
  }

  #commit(record: Uint8Array): string {
    const start = COMMIT_TAG.length + DIGEST_BYTES;
    const length = start + record.length;
    if (this.#commitInput.length < length) this.#commitInput = Buffer.alloc(length * 2);
    this.#commitInput.set(COMMIT_TAG, 0);
    this.#hasher.start().text('commit').hmacInto(this.#seedKey, this.#commitInput, COMMIT_TAG.length);
    this.#commitInput.set(record, start);
    return hash('sha256', this.#commitInput.subarray(0, length), 'hex');
  }

  #fields(leaves: Leaves): string {
    const real = leaves.pointers.length;
    const count = Math.ceil(real / PADDING) * PADDING;
    if (this.#digests.length < count * DIGEST_BYTES) this.#digests = Buffer.alloc(count * 2 * DIGEST_BYTES);
    for (let i = 0; i < real; i++) {
      this.#leafDigest(leaves.pointers[i] as string, leaves.values[i] as string, i * DIGEST_BYTES);
    }
    for (let i = 0; i < count - real; i++) {
      this.#hasher.start().text(`decoy:${i}`).hmacInto(this.#seedKey, this.#salt, 0);
      this.#hasher
        .start()
        .text(DECOY_TAG)
        .bytes(this.#salt)
        .digestInto(this.#digests, (real + i) * DIGEST_BYTES);
    }
    return this.#digestOfSorted(count);
  }

  /** salt_p = HMAC(seed, "field:" ‖ p)[:16]; d_p = D("field", salt_p ‖ JCS([p, value])). */
  #leafDigest(pointer: string, valueJson: string, at: number): void {
    this.#hasher.start().text('field:').text(pointer).hmacInto(this.#seedKey, this.#salt, 0);
    const leaf = this.#hasher.start().text(FIELD_TAG).bytes(this.#salt, SALT_BYTES);
    leaf.text('[').text(quoted(pointer)).text(',').text(valueJson).text(']').digestInto(this.#digests, at);
  }

  /** Sorted as bytes, so that a digest's place does not tell its pointer. */
  #digestOfSorted(count: number): string {
    const length = FIELDS_TAG.length + count * DIGEST_BYTES;
    if (this.#fieldsInput.length < length) this.#fieldsInput = Buffer.alloc(length * 2);
    this.#fieldsInput.set(FIELDS_TAG, 0);
    let place = FIELDS_TAG.length;
    for (const index of sortedDigests(this.#digests, count)) {
      const from = index * DIGEST_BYTES;
      this.#digests.copy(this.#fieldsInput, place, from, from + DIGEST_BYTES);
      place += DIGEST_BYTES;
    }
    return hash('sha256', this.#fieldsInput.subarray(0, length), 'hex');
  }
}

/** The first 48 bits decide all but always; a tie is settled by the whole digest. */
function sortedDigests(digests: Buffer, count: number): number[] {
  const prefixes = new Float64Array(count);
  const order: number[] = new Array(count);
  for (let i = 0; i < count; i++) {
    prefixes[i] = digests.readUIntBE(i * DIGEST_BYTES, 6);
    order[i] = i;
  }
  return order.sort((a, b) => {
    const difference = (prefixes[a] as number) - (prefixes[b] as number);
    if (difference !== 0) return difference;
    const [left, right] = [a * DIGEST_BYTES, b * DIGEST_BYTES];
    return digests.compare(digests, right, right + DIGEST_BYTES, left, left + DIGEST_BYTES);
  });
}
