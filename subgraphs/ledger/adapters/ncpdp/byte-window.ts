import { hash } from 'node:crypto';
import type { Part } from '../adapter.js';

const defaultWindowBytes = 32 * 1024;

/** The bytes in hand as text, one character a byte, and where in the body they begin. All offsets are of the body. */
export class ByteWindow {
  text = '';
  base = 0;
  private bytes: Buffer = Buffer.alloc(0);
  private gathered: Uint8Array[] = [];
  private gatheredBytes = 0;
  private readonly windowBytes: number;

  constructor(windowBytes = defaultWindowBytes) {
    this.windowBytes = windowBytes;
  }

  get end(): number {
    return this.base + this.text.length;
  }

  /** Takes a chunk; true when there is enough of new bytes to look at. What is held grows by doubling. */
  push(chunk: Uint8Array): boolean {
    if (chunk.length === 0) return false;
    this.gathered.push(chunk);
    this.gatheredBytes += chunk.length;
    if (this.gatheredBytes < Math.max(this.windowBytes, this.bytes.length)) return false;
    this.flush();
    return true;
  }

  /** Brings what was gathered into the window. */
  flush(): void {
    if (this.gathered.length === 0) return;
    this.bytes = Buffer.concat([this.bytes, ...this.gathered]);
    this.text = this.bytes.toString('latin1');
    this.gathered = [];
    this.gatheredBytes = 0;
  }

  /** Lets go of what stands before an offset. */
  discard(to: number): void {
    if (to <= this.base) return;
    this.bytes = this.bytes.subarray(to - this.base);
    this.text = this.text.slice(to - this.base);
    this.base = to;
  }

  slice(start: number, end: number): string {
    return this.text.slice(start - this.base, end - this.base);
  }

  bytesOf(start: number, end: number): Buffer {
    return this.bytes.subarray(start - this.base, end - this.base);
  }

  /** The byte range and its hash. */
  partOf(start: number, end: number): Part {
    return { offset: start, length: end - start, sha256: hash('sha256', this.bytesOf(start, end), 'hex') };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');
const beyondAscii = /[\x80-\xff]/;

/** Text of bytes that were read one character a byte: UTF-8 where it is, else windows-1252. */
export function decodeText(text: string): string {
  if (!beyondAscii.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8: every byte is a character of windows-1252, so that nothing is lost.
    return windows1252.decode(bytes);
  }
}
