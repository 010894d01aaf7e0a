import type { Platform, Source } from '../platform.js';
import type { PlacedEntry } from './zip-data.js';

const CHUNK_BYTES = 1024 * 1024;

/** What an entry turned out to be, once read to its end. */
export interface EntryDigest {
  readonly sha256: string;
  readonly crc: number;
}

/** Reads an entry from its beginning to its end, once, and hashes what passes. */
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

  /** The next bytes; undefined at the end. @param room of CHUNK_BYTES, where they may be put */
  async next(room?: Uint8Array): Promise<Uint8Array | undefined> {
    const left = this.entry.size - this.#at;
    if (left === 0) return undefined;
    const bytes = await this.source.read(this.entry.dataAt + this.#at, Math.min(left, CHUNK_BYTES), room);
    this.#at += bytes.length;
    this.#hash.update(bytes);
    this.#crc = this.platform.crc32(bytes, this.#crc);
    return bytes;
  }

  /** Of the whole entry: what was not asked for yet is read now. */
  async digest(): Promise<EntryDigest> {
    const room = this.entry.size - this.#at > CHUNK_BYTES ? new Uint8Array(CHUNK_BYTES) : undefined;
    while ((await this.next(room)) !== undefined);
    return { sha256: this.#hash.hex(), crc: this.#crc };
  }
}
