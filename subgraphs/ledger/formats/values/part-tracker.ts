import { createHash, type Hash, hash } from 'node:crypto';
import { SegmentContent } from './content.js';
import type { Part } from './positions.js';

/** The bytes in memory and their offset in the body. */
export interface Window {
  bytes: Buffer;
  base: number;
}

/**
 * Hashes one byte range of the body at a time while the body streams by: in one call if the range lies in one window,
 * else window by window.
 */
export class PartTracker {
  #startOffset = -1;
  #running: Hash | null = null;
  #hashedTo = 0;
  #content: SegmentContent | null = null;

  /** @param delimiters those of the segments in the range. */
  open(offset: number, delimiters: ConstructorParameters<typeof SegmentContent>[0]): void {
    this.#content = new SegmentContent(delimiters);
    this.#startOffset = offset;
    this.#running = null;
    this.#hashedTo = offset;
  }

  /** Ends the open range before `endOffset`, which must lie in the window or at its end. */
  close(endOffset: number, window: Window): Part {
    const offset = this.#startOffset;
    this.#startOffset = -1;
    const rest = window.bytes.subarray(this.#hashedTo - window.base, endOffset - window.base);
    const sha256 = this.#running === null ? hash('sha256', rest, 'hex') : this.#running.update(rest).digest('hex');
    this.#running = null;
    const contentSha256 = this.#content?.digest(rest, sha256) ?? sha256;
    this.#content = null;
    return { offset, length: endOffset - offset, sha256, contentSha256 };
  }

  /** Must run before the window moves on; bytes before `consumedTo` are gone afterwards. */
  roll(consumedTo: number, window: Window): void {
    if (this.#startOffset === -1 || consumedTo <= this.#hashedTo) return;
    this.#running ??= createHash('sha256');
    const passed = window.bytes.subarray(this.#hashedTo - window.base, consumedTo - window.base);
    this.#running.update(passed);
    this.#content?.update(passed);
    this.#hashedTo = consumedTo;
  }
}
