/** A loop copies a shorter part faster than `set` with a view. */
const SHORT_BYTES = 128;

/** A range of bytes. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export const spanOf = (bytes: Uint8Array): Span => ({ bytes, start: 0, end: bytes.length });

/** Appends bytes to a growing buffer. */
export class ByteHeap {
  #bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  put(part: Uint8Array, start = 0, end = part.length): void {
    const at = this.length;
    const length = end - start;
    this.#reserve(length);
    if (length >= SHORT_BYTES) this.#bytes.set(part.subarray(start, end), at);
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = part[start + i] ?? 0;
    this.length = at + length;
  }

  putByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = byte;
  }

  /** The appended bytes; valid until the next append. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = new Uint8Array((this.length + more) * 2);
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
