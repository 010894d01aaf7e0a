import type { StoredBlobs, WormBlob } from '../worm-store.js';

/** New contents wait for the next group. A second group runs at the same time, so that the database is never idle. */
const GROUPS_AT_ONCE = 2;
const GROUP_CONTENTS = 64;
const GROUP_BYTES = 4 * 1_048_576;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: (blob: WormBlob) => void;
  readonly reject: (error: unknown) => void;
}

/** Stores small contents that arrive at the same time as a group: many cost the durable writes of one. */
export class BlobGroups {
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(private readonly store: (contents: readonly Uint8Array[]) => Promise<StoredBlobs>) {}

  /** Stores a content; it and its record in the tenant's segments are durable when the promise resolves. */
  put(bytes: Uint8Array): Promise<WormBlob> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#underWay >= GROUPS_AT_ONCE || this.#waiting.length === 0) return;
    this.#underWay++;
    void this.#run(this.#take()).finally(() => {
      this.#underWay--;
      this.#begin();
    });
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes.length;
      if (count > 0 && (bytes > GROUP_BYTES || count === GROUP_CONTENTS)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      const blobs = await this.#stored(group.map(({ bytes }) => bytes));
      group.forEach(({ resolve, reject }, i) => {
        const blob = blobs[i];
        if (blob === undefined) reject(new Error('a group answers for each of its contents'));
        else resolve(blob);
      });
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      // Retries each content alone, so that one bad content, such as one in disposal, does not fail the group.
      else await Promise.all(group.map((one) => this.#run([one])));
    }
  }

  async #stored(contents: readonly Uint8Array[]): Promise<readonly WormBlob[]> {
    const { blobs, recorded } = await this.store(contents);
    await recorded;
    return blobs;
  }
}
