import type { PlacedEntry } from '../../shared/zip/sealed-entries.js';
import type { Platform, Source } from '../platform.js';

const CHUNK_BYTES = 1024 * 1024;

/** SHA-256 and CRC-32 of an entry's bytes. */
export interface EntryDigest {
  readonly sha256: string;
  readonly crc: number;
}

/** Reads an entry once from its beginning to its end and hashes the bytes. */
export class EntryReader {
  readonly #hash: ReturnType<Platform['startSha256']>;
  #crc = 0;
  #at = 0;

  constructor(
    private readonly platform: Platform,
    private readonly source: Source,
    private readonly entry: PlacedEntry,
  ) {
    this.#hash = platform.startSha256();
  }

  /** Returns the next bytes, or undefined at the end. @param room buffer of CHUNK_BYTES to read into */
  async next(room?: Uint8Array): Promise<Uint8Array | undefined> {
    const left = this.entry.size - this.#at;
    if (left === 0) return undefined;
    const bytes = await this.source.read(this.entry.dataAt + this.#at, Math.min(left, CHUNK_BYTES), room);
    this.#at += bytes.length;
    this.#hash.update(bytes);
    this.#crc = this.platform.crc32(bytes, this.#crc);
    return bytes;
  }

  /** Returns the digest of the whole entry; reads the rest first. */
  async digest(): Promise<EntryDigest> {
    const room = this.entry.size - this.#at > CHUNK_BYTES ? new Uint8Array(CHUNK_BYTES) : undefined;
    while ((await this.next(room)) !== undefined);
    return { sha256: this.#hash.hex(), crc: this.#crc };
  }
}
