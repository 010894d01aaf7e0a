import { hash } from 'node:crypto';
import { decodeWestern } from './characters.js';
import { framedContent } from './content.js';
import type { Part } from './positions.js';

const DEFAULT_WINDOW_BYTES = 32 * 1024;

/**
 * The bytes in memory as text, one character per byte, and their offset in the body. All offsets count from the start
 * of the body.
 */
export class ByteWindow {
  text = '';
  base = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  readonly #windowBytes: number;

  constructor(windowBytes = DEFAULT_WINDOW_BYTES) {
    this.#windowBytes = windowBytes;
  }

  get end(): number {
    return this.base + this.text.length;
  }

  /** Takes a chunk; true once there are enough new bytes to scan. The window grows by doubling. */
  push(chunk: Uint8Array): boolean {
    if (chunk.length === 0) return false;
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes < Math.max(this.#windowBytes, this.#bytes.length)) return false;
    this.flush();
    return true;
  }

  /** Moves the gathered chunks into the window. */
  flush(): void {
    if (this.#gathered.length === 0) return;
    this.#bytes = Buffer.concat([this.#bytes, ...this.#gathered]);
    this.text = this.#bytes.toString('latin1');
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }

  /** Drops the bytes before an offset. */
  discard(to: number): void {
    if (to <= this.base) return;
    this.#bytes = this.#bytes.subarray(to - this.base);
    this.text = this.text.slice(to - this.base);
    this.base = to;
  }

  slice(start: number, end: number): string {
    return this.text.slice(start - this.base, end - this.base);
  }

  bytesOf(start: number, end: number): Buffer {
    return this.#bytes.subarray(start - this.base, end - this.base);
  }

  /** The byte range and its hash. */
  partOf(start: number, end: number, contentOf: (bytes: Buffer) => string = framedContent): Part {
    const bytes = this.bytesOf(start, end);
    const sha256 = hash('sha256', bytes, 'hex');
    return { offset: start, length: end - start, sha256, contentSha256: contentOf(bytes) };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BEYOND_ASCII = /[\x80-\xff]/;

/** Decodes one-character-per-byte text as UTF-8, else as windows-1252. */
export function decodeText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8: windows-1252 maps every byte to a character.
    return decodeWestern(bytes);
  }
}
