import { createHash, type Hash, hash } from 'node:crypto';
import type { Part } from '../adapter.js';

/** The bytes the tokenizer holds, and where in the body they begin. */
export interface Window {
  bytes: Buffer;
  base: number;
}

/**
 * Hashes a byte range of the body while it streams by. One range is open at a time. A range that lies in one window is
 * hashed in one call; a longer one is fed window by window.
 */
export class PartTracker {
  private startOffset = -1;
  private running: Hash | null = null;
  private hashedTo = 0;

  open(offset: number): void {
    this.startOffset = offset;
    this.running = null;
    this.hashedTo = offset;
  }

  /** Ends the open range before `endOffset`, which must lie in the window (or at its end). */
  close(endOffset: number, window: Window): Part {
    const offset = this.startOffset;
    this.startOffset = -1;
    const rest = window.bytes.subarray(this.hashedTo - window.base, endOffset - window.base);
    if (this.running === null) return { offset, length: endOffset - offset, sha256: hash('sha256', rest, 'hex') };
    const sha256 = this.running.update(rest).digest('hex');
    this.running = null;
    return { offset, length: endOffset - offset, sha256 };
  }

  /** Called before the window moves on; the bytes before `consumedTo` will not be seen again. */
  roll(consumedTo: number, window: Window): void {
    if (this.startOffset === -1 || consumedTo <= this.hashedTo) return;
    this.running ??= createHash('sha256');
    this.running.update(window.bytes.subarray(this.hashedTo - window.base, consumedTo - window.base));
    this.hashedTo = consumedTo;
  }
}
