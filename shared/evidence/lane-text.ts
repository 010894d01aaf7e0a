import type { LaneHasher } from './lane-hasher.js';
import { BLOCK_BYTES } from './sha256-block.js';

/** The byte 0x80 and the length in bits, of which lanes need no more than two bytes. */
export const PADDING_LEAST_BYTES = 9;

/** Writes texts and padding straight into the lanes' memory. */
export class LaneText {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #words: Int32Array;

  constructor(lanes: LaneHasher) {
    this.#bytes = lanes.bytes;
    this.#view = new DataView(lanes.bytes.buffer);
    this.#words = new Int32Array(lanes.bytes.buffer);
  }

  /** Writes text as UTF-8 and gives its end, or 0 where it would pass the limit. */
  write(text: string, at: number, limit: number): number {
    const { length } = text;
    if (at + length > limit) return 0;
    const bytes = this.#bytes;
    let seen = 0;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      seen |= unit;
      bytes[at + i] = unit;
    }
    // Plain ASCII is its own UTF-8; anything else goes through the encoder, over what the loop wrote.
    if (seen < 0x80) return at + length;
    return at + Buffer.byteLength(text) > limit ? 0 : at + bytes.write(text, at, 'utf8');
  }

  /**
   * Writes many texts joined, to be copied apart: one call of the encoder is cheaper than a loop over each text.
   * False where it is not all ASCII or does not fit: then their places are not known.
   */
  stage(joined: string, at: number, roomBytes: number): boolean {
    return joined.length <= roomBytes && this.#bytes.write(joined, at, roomBytes, 'utf8') === joined.length;
  }

  /** Whether JCS prints these bytes of ASCII as they are: no control character, quote or backslash (RFC 8785 3.2.2.2). */
  isPlain(at: number, length: number): boolean {
    const view = this.#view;
    // The last word may reach over the end.
    view.setInt32(at + length, 0x61616161);
    let found = 0;
    for (let i = 0; i < length; i += 4) {
      const word = view.getInt32(at + i);
      const quote = word ^ 0x22222222;
      const backslash = word ^ 0x5c5c5c5c;
      // x - 0x01… borrows into the high bit of a byte that is zero; x - 0x20… of one below 0x20.
      found |=
        ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
    }
    return (found & 0x80808080) === 0;
  }

  /** Copies whole words: up to three bytes past the end are written too. */
  copy(from: number, to: number, length: number): number {
    const view = this.#view;
    for (let i = 0; i < length; i += 4) view.setInt32(to + i, view.getInt32(from + i));
    return to + length;
  }

  /**
   * Pads a message in place (FIPS 180-4 section 5.1.1) and gives its number of blocks.
   *
   * @param start a multiple of four, @param before how many bytes the lane's first state has taken in already.
   */
  pad(start: number, end: number, before: number): number {
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
