import { createHash, type Hash, hash } from 'node:crypto';
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

  open(offset: number): void {
    this.#startOffset = offset;
    this.#running = null;
    this.#hashedTo = offset;
  }

  /** Ends the open range before `endOffset`, which must lie in the window or at its end. */
  close(endOffset: number, window: Window): Part {
    const offset = this.#startOffset;
    this.#startOffset = -1;
    const rest = window.bytes.subarray(this.#hashedTo - window.base, endOffset - window.base);
    if (this.#running === null) return { offset, length: endOffset - offset, sha256: hash('sha256', rest, 'hex') };
    const sha256 = this.#running.update(rest).digest('hex');
    this.#running = null;
    return { offset, length: endOffset - offset, sha256 };
  }

  /** Must run before the window moves on; bytes before `consumedTo` are gone afterwards. */
  roll(consumedTo: number, window: Window): void {
    if (this.#startOffset === -1 || consumedTo <= this.#hashedTo) return;
    this.#running ??= createHash('sha256');
    this.#running.update(window.bytes.subarray(this.#hashedTo - window.base, consumedTo - window.base));
    this.#hashedTo = consumedTo;
  }
}
