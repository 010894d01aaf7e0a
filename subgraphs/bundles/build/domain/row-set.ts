import type { EntryPlace } from '../../../../shared/contracts/ledger-records.js';

// The events of a bundle as places in the ledger, in tree order, each once. A million of them take 18 MB.

/** A stored part of a row set; arrays as bytes. */
export interface RowSetPart {
  readonly sources: readonly string[];
  readonly tree_indexes: Buffer;
  readonly sequences: Buffer;
  readonly source_numbers: Buffer;
}

export class RowSet {
  readonly #sources: readonly string[];
  readonly #treeIndexes: Float64Array;
  readonly #sequences: Float64Array;
  readonly #sourceNumbers: Uint16Array;

  private constructor(
    sources: readonly string[],
    treeIndexes: Float64Array,
    sequences: Float64Array,
    sourceNumbers: Uint16Array,
  ) {
    this.#sources = sources;
    this.#treeIndexes = treeIndexes;
    this.#sequences = sequences;
    this.#sourceNumbers = sourceNumbers;
  }

  get size(): number {
    return this.#treeIndexes.length;
  }

  /** Returns up to `limit` places, starting with the one at index `from`. */
  slice(from: number, limit: number): EntryPlace[] {
    const end = Math.min(from + limit, this.size);
    const places: EntryPlace[] = [];
    for (let i = from; i < end; i++) {
      places.push({
        tree_index: this.#treeIndexes[i] ?? 0,
        source_system: this.#sources[this.#sourceNumbers[i] ?? 0] ?? '',
        seq: this.#sequences[i] ?? 0,
      });
    }
    return places;
  }

  /**
   * Splits the set into parts, from which `ofParts` restores it.
   *
   * @param rows of each part
   */
  *parts(rows: number): Generator<RowSetPart> {
    for (let from = 0; from < this.size; from += rows) {
      const to = Math.min(from + rows, this.size);
      yield {
        sources: this.#sources,
        tree_indexes: bytesOf(this.#treeIndexes.slice(from, to)),
        sequences: bytesOf(this.#sequences.slice(from, to)),
        source_numbers: bytesOf(this.#sourceNumbers.slice(from, to)),
      };
    }
  }

  static ofParts(parts: readonly RowSetPart[]): RowSet {
    const joined = (pick: (part: RowSetPart) => Buffer): ArrayBuffer =>
      Uint8Array.from(Buffer.concat(parts.map(pick))).buffer;
    return new RowSet(
      parts[0]?.sources ?? [],
      new Float64Array(joined(({ tree_indexes }) => tree_indexes)),
      new Float64Array(joined(({ sequences }) => sequences)),
      new Uint16Array(joined(({ source_numbers }) => source_numbers)),
    );
  }

  static collector(): RowSetCollector {
    return new RowSetCollector((...arrays) => new RowSet(...arrays));
  }
}

const bytesOf = (array: Float64Array | Uint16Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

type Make = (
  sources: readonly string[],
  indexes: Float64Array,
  sequences: Float64Array,
  numbers: Uint16Array,
) => RowSet;

const FIRST_ROOM = 1_024;

/** Collects places in any order; places may repeat. */
class RowSetCollector {
  readonly #make: Make;
  readonly #numbers = new Map<string, number>();
  #treeIndexes = new Float64Array(FIRST_ROOM);
  #sequences = new Float64Array(FIRST_ROOM);
  #sourceNumbers = new Uint16Array(FIRST_ROOM);
  #size = 0;

  constructor(make: Make) {
    this.#make = make;
  }

  /** Number of collected places, repetitions included. */
  get size(): number {
    return this.#size;
  }

  add(places: readonly EntryPlace[]): void {
    this.#grow(this.#size + places.length);
    for (const { tree_index, source_system, seq } of places) {
      this.#treeIndexes[this.#size] = tree_index;
      this.#sequences[this.#size] = seq;
      this.#sourceNumbers[this.#size] = this.#numberOf(source_system);
      this.#size++;
    }
  }

  /** Returns the places in tree order, each once. */
  rowSet(): RowSet {
    const order = new Uint32Array(this.#size).map((_, i) => i);
    const indexes = this.#treeIndexes;
    order.sort((a, b) => (indexes[a] ?? 0) - (indexes[b] ?? 0));
    const kept = order.filter((row, i) => i === 0 || indexes[row] !== indexes[order[i - 1] ?? 0]);
    return this.#make(
      [...this.#numbers.keys()],
      Float64Array.from(kept, (row) => indexes[row] ?? 0),
      Float64Array.from(kept, (row) => this.#sequences[row] ?? 0),
      Uint16Array.from(kept, (row) => this.#sourceNumbers[row] ?? 0),
    );
  }

  #numberOf(sourceSystem: string): number {
    const known = this.#numbers.get(sourceSystem);
    if (known !== undefined) return known;
    const next = this.#numbers.size;
    this.#numbers.set(sourceSystem, next);
    return next;
  }

  #grow(size: number): void {
    if (size <= this.#treeIndexes.length) return;
    const room = Math.max(size, this.#treeIndexes.length * 2);
    const grown = <T extends Float64Array | Uint16Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#treeIndexes = grown(new Float64Array(room), this.#treeIndexes);
    this.#sequences = grown(new Float64Array(room), this.#sequences);
    this.#sourceNumbers = grown(new Uint16Array(room), this.#sourceNumbers);
  }
}
