/** Groups of one segment that are stored at the same time. */
const GROUPS_IN_FLIGHT = 4;
const GROUP_BYTES = 4 * 1_048_576;

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers items into groups, each stored by one request. A group leaves when it is large, or when its first item has waited
 * for `gatherMs`, and at most four groups are under way; items that arrive meanwhile form the next group.
 */
export class ObjectGroups<T> {
  readonly #store: (items: readonly T[]) => Promise<void>;
  readonly #gatherMs: number;
  readonly #waiting: Waiting<T>[] = [];
  #waitingBytes = 0;
  #underWay = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param store stores a group, durable when it resolves @param gatherMs 0 sends a group at once */
  constructor(store: (items: readonly T[]) => Promise<void>, gatherMs: number) {
    this.#store = store;
    this.#gatherMs = gatherMs;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#underWay === 0;
  }

  /** Resolves when the item is durable. */
  add(item: T, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#waiting.length === 0) return;
    const isReady = this.#gatherMs === 0 || this.#isDue || this.#waitingBytes >= GROUP_BYTES;
    if (!isReady) this.#startTimer();
    if (!isReady || this.#underWay >= GROUPS_IN_FLIGHT) return;
    this.#underWay++;
    void this.#run(this.#take()).finally(() => {
      this.#underWay--;
      this.#begin();
    });
    this.#begin();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#isDue = true;
      this.#begin();
    }, this.#gatherMs);
  }

  #take(): readonly Waiting<T>[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && bytes + waiting.bytes > GROUP_BYTES) break;
      bytes += waiting.bytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    const group = this.#waiting.splice(0, count);
    if (this.#waiting.length === 0) this.#isDue = false;
    return group;
  }

  async #run(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#store(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
