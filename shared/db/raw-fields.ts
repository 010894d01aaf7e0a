// Reads documents in place in a reply (`raw: true`). Chains are read by the hundred thousand, and the library's objects
// were most of the cost. The reader decodes an unexpected value with the library.

/** Types of BSON elements that are read in place (bsonspec.org). */
export const RAW = {
  double: 1,
  string: 2,
  document: 3,
  array: 4,
  binary: 5,
  boolean: 8,
  date: 9,
  null: 10,
  int: 16,
  long: 18,
} as const;

const WORD = 4;
const TWO_TO_32 = 2 ** 32;
/** Sizes of the values that are of one size; for others see `sizeOf`. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16 };

/** Bytes of a value of this type; below zero for a type that is not known here. */
function sizeOf(type: number, document: Buffer, at: number): number {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  if (type === RAW.string) return WORD + document.readInt32LE(at);
  if (type === RAW.document || type === RAW.array) return document.readInt32LE(at);
  return type === RAW.binary ? WORD + 1 + document.readInt32LE(at) : -1;
}

/** Finds fields of documents by name. A result is valid until the next document is read. */
export class RawFields {
  readonly #names: readonly Buffer[];
  readonly #types: Uint8Array;
  readonly #places: Int32Array;
  #document: Buffer = Buffer.alloc(0);
  #found = 0;
  #unknown = 0;

  /** @param names in the order in which documents hold them, as a rule; each is called by its place here. */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => Buffer.from(name));
    this.#types = new Uint8Array(names.length);
    this.#places = new Int32Array(names.length);
  }

  /** @returns false for a document that only the library can read. */
  find(document: Buffer, start = 0): boolean {
    this.#document = document;
    this.#types.fill(0);
    this.#found = 0;
    this.#unknown = 0;
    const end = start + document.readInt32LE(start) - 1;
    let expected = 0;
    let at = start + WORD;
    while (at < end) {
      const type = document[at] ?? 0;
      let value = at + 1;
      while (value < end && document[value] !== 0) value++;
      const slot = this.#slotOf(at + 1, value, expected);
      at = ++value;
      const size = sizeOf(type, document, value);
      if (size < 0) return false;
      at += size;
      if (slot < 0) {
        this.#unknown++;
        continue;
      }
      this.#found++;
      this.#types[slot] = type;
      this.#places[slot] = value;
      expected = slot + 1;
    }
    return at === end && document[end] === 0;
  }

  /** How many fields are looked for. */
  get size(): number {
    return this.#names.length;
  }

  /** Fields of these names; more than `size` when one comes twice. */
  get found(): number {
    return this.#found;
  }

  /** Fields of other names. */
  get unknown(): number {
    return this.#unknown;
  }

  /** Type of a field; 0 when it is not there. */
  type(slot: number): number {
    return this.#types[slot] ?? 0;
  }

  /** Where the value of a field begins. */
  place(slot: number): number {
    return this.#places[slot] ?? 0;
  }

  has(slot: number, type: number): boolean {
    return this.#types[slot] === type;
  }

  text(slot: number): string {
    const at = (this.#places[slot] ?? 0) + WORD;
    return this.#document.toString('utf8', at, at + this.#document.readInt32LE(at - WORD) - 1);
  }

  /** A text that is only ever compared with one of ASCII: cheaper, and other bytes make another text as well. */
  ascii(slot: number): string {
    const at = (this.#places[slot] ?? 0) + WORD;
    return this.#document.toString('latin1', at, at + this.#document.readInt32LE(at - WORD) - 1);
  }

  /** Of binary data. */
  subtype(slot: number): number {
    return this.#document[(this.#places[slot] ?? 0) + WORD] ?? 0;
  }

  /** Part of the document, and not a copy. */
  bytes(slot: number): Buffer {
    const at = (this.#places[slot] ?? 0) + WORD + 1;
    return this.#document.subarray(at, at + this.#document.readInt32LE(at - WORD - 1));
  }

  hex(slot: number): string {
    const at = (this.#places[slot] ?? 0) + WORD + 1;
    return this.#document.toString('hex', at, at + this.#document.readInt32LE(at - WORD - 1));
  }

  epochMs(slot: number): number {
    return this.#long(this.#places[slot] ?? 0);
  }

  /** NaN if the value is no number. */
  number(slot: number): number {
    const at = this.#places[slot] ?? 0;
    const type = this.#types[slot];
    if (type === RAW.int) return this.#document.readInt32LE(at);
    if (type === RAW.double) return this.#document.readDoubleLE(at);
    return type === RAW.long ? this.#long(at) : Number.NaN;
  }

  boolean(slot: number): boolean {
    return this.#document[this.#places[slot] ?? 0] === 1;
  }

  #long(at: number): number {
    return this.#document.readInt32LE(at + WORD) * TWO_TO_32 + this.#document.readUInt32LE(at);
  }

  #slotOf(from: number, to: number, expected: number): number {
    const count = this.#names.length;
    for (let i = 0; i < count; i++) {
      const slot = expected + i < count ? expected + i : expected + i - count;
      if (this.#isNamed(slot, from, to)) return slot;
    }
    return -1;
  }

  #isNamed(slot: number, from: number, to: number): boolean {
    const name = this.#names[slot];
    if (name?.length !== to - from) return false;
    for (let i = 0; i < name.length; i++) if (name[i] !== this.#document[from + i]) return false;
    return true;
  }
}

/** A document of a reply as a Buffer over the same bytes. */
export const rawDocument = (raw: unknown): Buffer => {
  if (!(raw instanceof Uint8Array)) throw new TypeError('a document is read without `raw: true`');
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
};
