import type { Platform, Source } from '../platform.js';
import type { EntryDigest } from './entry-reader.js';
import type { PlacedEntry } from './zip-data.js';

/** Smaller entries are hashed sooner than handed over; larger ones would fill the memory, and are read piece by piece. */
const LEAST_BYTES = 2 ** 16;
export const MOST_ASIDE_BYTES = 8 * 2 ** 20;
/** No more is begun while so much is under way; beside it stand two rooms to read into. */
const UNDER_WAY_BYTES = 16 * 2 ** 20;

interface Order {
  readonly entry: PlacedEntry;
  readonly resolve: (digest: Promise<EntryDigest>) => void;
  readonly reject: (fault: unknown) => void;
}

/** Hashes whole entries beside what else is done, in their order, each byte read once. Memory is bounded. */
export class AsideDigests {
  readonly #digests = new Map<string, Promise<EntryDigest>>();
  readonly #underWay = new Set<Promise<unknown>>();
  #underWayBytes = 0;
  #stopped = false;
  readonly #ended: Promise<void>;

  /** @param entries that nobody else reads */
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
      // A fault is told where the digest is asked for.
      digest.catch(() => undefined);
      this.#digests.set(entry.name, digest);
    }
    this.#ended = this.#make(orders, sha256Aside);
  }

  /** Undefined for an entry that is not hashed here. */
  of(name: string): Promise<EntryDigest> | undefined {
    return this.#digests.get(name);
  }

  /** Nothing is read any more once this has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #make(orders: readonly Order[], sha256Aside: NonNullable<Platform['sha256Aside']>): Promise<void> {
    const largest = orders.reduce((most, { entry }) => Math.max(most, entry.size), 0);
    const rooms = [new Uint8Array(largest), new Uint8Array(largest)] as const;
    // Of what is read into a room nothing is needed any more when the room's next turn comes: hashing took a copy.
    const read = (turn: number): Promise<Uint8Array | undefined> | undefined => {
      const order = orders[turn];
      if (order === undefined) return undefined;
      const { dataAt, size } = order.entry;
      return this.source
        .read(dataAt, size, rooms[turn % 2])
        .catch((fault: unknown) => order.reject(fault) as undefined);
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
    // Who waits for room only wants to know that it ended: a fault is told where the digest is asked for.
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
