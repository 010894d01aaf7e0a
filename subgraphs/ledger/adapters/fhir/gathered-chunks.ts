import { asBuffer } from './json-shapes.js';

/** Chunks that wait to be looked at together. */
export class GatheredChunks {
  byteLength = 0;
  private chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.byteLength += chunk.length;
  }

  /** All of them behind what is kept of the bytes before; one chunk behind nothing is not copied. */
  takeBehind(kept: Buffer): Buffer {
    const { chunks } = this;
    this.chunks = [];
    this.byteLength = 0;
    return kept.length === 0 && chunks.length === 1 ? asBuffer(chunks[0]) : Buffer.concat([kept, ...chunks]);
  }
}
