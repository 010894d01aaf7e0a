/** Position of a record in a segment's files. */
export interface RecordPlace {
  readonly part: number;
  /** Offset of the record's first byte in its part. */
  readonly at: number;
  readonly length: number;
}

const HASH_BYTES = 32;
const FIRST_ROOM = 1024;
const EMPTY = -1;

/**
 * Maps hashes to places of records with about 60 bytes per record. A segment holds hundreds of thousands of records, and
 * maps of strings would take several times the memory. Uses open addressing on the hash, which is uniform.
 */
export class RecordPlaces {
  #hashes = Buffer.alloc(FIRST_ROOM * HASH_BYTES);
  #at = new Float64Array(FIRST_ROOM);
  #lengths = new Uint32Array(FIRST_ROOM);
  #parts = new Uint32Array(FIRST_ROOM);
  #slots = new Int32Array(FIRST_ROOM * 2).fill(EMPTY);
  #sorted: Uint32Array | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a place; keeps the first place of a record. */
  add(sha256: string, place: RecordPlace): void {
    if (this.#size === this.#at.length) this.#grow();
    const hash = Buffer.from(sha256, 'hex');
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] !== EMPTY) return;
    const index = this.#size++;
    hash.copy(this.#hashes, index * HASH_BYTES);
    this.#at[index] = place.at;
    this.#lengths[index] = place.length;
    this.#parts[index] = place.part;
    this.#slots[slot] = index;
    this.#sorted = null;
  }

  find(sha256: string): RecordPlace | null {
    const index = this.#slots[this.#slotOf(Buffer.from(sha256, 'hex'))] ?? EMPTY;
    if (index === EMPTY) return null;
    return { part: this.#parts[index] ?? 0, at: this.#at[index] ?? 0, length: this.#lengths[index] ?? 0 };
  }

  /** Returns the first `limit` hashes after that one, in order. */
  after(sha256: string | null, limit: number): readonly string[] {
    const sorted = this.#inOrderOfHashes();
    let low = 0;
    if (sha256 !== null) {
      const bound = Buffer.from(sha256, 'hex');
      for (let high = sorted.length; low < high; ) {
        const middle = (low + high) >>> 1;
        if (this.#compare(sorted[middle] ?? 0, bound) <= 0) low = middle + 1;
        else high = middle;
      }
    }
    return [...sorted.subarray(low, low + limit)].map((index) => this.#nameOf(index));
  }

  /** Lists all hashes in insertion order. */
  *all(): Generator<string> {
    for (let index = 0; index < this.#size; index++) yield this.#nameOf(index);
  }

  #nameOf(index: number): string {
    return this.#hashes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  #compare(index: number, hash: Buffer): number {
    return this.#hashes.compare(hash, 0, HASH_BYTES, index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  /** Returns the slot of this hash, or the empty slot for it. */
  #slotOf(hash: Buffer): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash.readUInt32BE(0) & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot] ?? EMPTY;
      if (index === EMPTY || this.#compare(index, hash) === 0) return slot;
    }
  }

  #inOrderOfHashes(): Uint32Array {
    if (this.#sorted) return this.#sorted;
    // The first six bytes fit a double exactly, and distinguish nearly all hashes.
    const keys = Float64Array.from({ length: this.#size }, (_, index) =>
      this.#hashes.readUIntBE(index * HASH_BYTES, 6),
    );
    const hashAt = (index: number): Buffer => this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
    this.#sorted = Uint32Array.from(keys.keys()).sort(
      (a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || hashAt(a).compare(hashAt(b)),
    );
    return this.#sorted;
  }

  #grow(): void {
    const room = this.#at.length * 2;
    const hashes = Buffer.alloc(room * HASH_BYTES);
    this.#hashes.copy(hashes);
    const widened = <T extends Float64Array | Uint32Array>(wide: T, old: T): T => {
      wide.set(old);
      return wide;
    };
    this.#hashes = hashes;
    this.#at = widened(new Float64Array(room), this.#at);
    this.#lengths = widened(new Uint32Array(room), this.#lengths);
    this.#parts = widened(new Uint32Array(room), this.#parts);
    this.#slots = new Int32Array(room * 2).fill(EMPTY);
    for (let index = 0; index < this.#size; index++) {
      this.#slots[this.#slotOf(this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES))] = index;
    }
  }
}
