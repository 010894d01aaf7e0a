import type { PlacedEntry } from '../../shared/zip/sealed-entries.js';
import type { Platform, Source } from '../platform.js';
import type { EntryDigest } from './entry-reader.js';

/** Handing a smaller entry over costs more than hashing it. A larger entry would fill the memory and is read in chunks. */
const LEAST_BYTES = 2 ** 16;
const MOST_ASIDE_BYTES = 8 * 2 ** 20;
/** Limit of bytes that are being hashed; two read buffers come on top. */
const UNDER_WAY_BYTES = 16 * 2 ** 20;

interface Order {
  readonly entry: PlacedEntry;
  readonly resolve: (digest: Promise<EntryDigest>) => void;
  readonly reject: (fault: unknown) => void;
}

/** Hashes whole entries in the background, in their order, and reads each byte once. Memory is bounded. */
export class AsideDigests {
  readonly #digests = new Map<string, Promise<EntryDigest>>();
  readonly #underWay = new Set<Promise<unknown>>();
  #underWayBytes = 0;
  #stopped = false;
  readonly #ended: Promise<void>;

  /** @param entries entries that no other check reads */
  constructor(
    private readonly platform: Platform,
    private readonly source: Source,
    entries: Iterable<PlacedEntry>,
  ) {
    const { sha256Aside } = platform;
    if (sha256Aside === undefined) {
      this.#ended = Promise.resolve();
      return;
    }
    const orders: Order[] = [];
    for (const entry of entries) {
      if (entry.size < LEAST_BYTES || entry.size > MOST_ASIDE_BYTES) continue;
      const digest = new Promise<EntryDigest>((resolve, reject) => orders.push({ entry, resolve, reject }));
      // The caller that awaits the digest gets the error.
      digest.catch(() => undefined);
      this.#digests.set(entry.name, digest);
    }
    this.#ended = this.#make(orders, sha256Aside);
  }

  /** Returns undefined for an entry that is not hashed here. */
  of(name: string): Promise<EntryDigest> | undefined {
    return this.#digests.get(name);
  }

  /** Stops reading; no read is pending when the promise resolves. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #make(orders: readonly Order[], sha256Aside: NonNullable<Platform['sha256Aside']>): Promise<void> {
    const largest = orders.reduce((most, { entry }) => Math.max(most, entry.size), 0);
    const rooms = [new Uint8Array(largest), new Uint8Array(largest)] as const;
    // A buffer may be reused on its next turn, because hashing has taken a copy.
    const read = (turn: number): Promise<Uint8Array | undefined> | undefined => {
      const order = orders[turn];
      if (order === undefined) return undefined;
      const { dataAt, size } = order.entry;
      return this.source.read(dataAt, size, rooms[turn % 2]).catch((fault: unknown) => {
        order.reject(fault);
        return undefined;
      });
    };
    let reading = read(0);
    for (const [turn, { resolve }] of orders.entries()) {
      const bytes = await reading;
      if (this.#stopped) return;
      reading = read(turn + 1);
      if (bytes !== undefined) resolve(this.#digest(bytes, sha256Aside));
      while (this.#underWayBytes > UNDER_WAY_BYTES) await Promise.race(this.#underWay);
    }
  }

  async #digest(bytes: Uint8Array, sha256Aside: NonNullable<Platform['sha256Aside']>): Promise<EntryDigest> {
    const { length } = bytes;
    const hashing = sha256Aside(bytes);
    // The wait for free capacity ignores errors; the caller that awaits the digest gets them.
    const ended = hashing.catch(() => undefined);
    this.#underWay.add(ended);
    this.#underWayBytes += length;
    const crc = this.platform.crc32(bytes, 0);
    try {
      return { sha256: await hashing, crc };
    } finally {
      this.#underWay.delete(ended);
      this.#underWayBytes -= length;
    }
  }
}
