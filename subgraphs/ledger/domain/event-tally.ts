import type { LedgerRow } from './ledger-row.js';

// How many events there are of each kind on each day. A tally of a block of consecutive entries never changes, because
// entries never change: so it can be kept, and tallies of blocks add up to the tally of a chain.

/** Days since 1970-01-01, UTC. */
export type DayNumber = number;

const DAY_MS = 86_400_000;

export const dayOf = (epochMs: number): DayNumber => Math.floor(epochMs / DAY_MS);
export const startOfDayMs = (day: DayNumber): number => day * DAY_MS;
export const dateOf = (day: DayNumber): string => new Date(startOfDayMs(day)).toISOString().slice(0, 10);

/** What events are counted by; null where the entry does not say, or no longer does. */
export interface TallyCell {
  readonly day: DayNumber;
  readonly family: string | null;
  readonly type: string | null;
  readonly outcome: string | null;
  readonly count: number;
}

/** What counting needs of an entry. */
export type CountedRow = Pick<LedgerRow, 'recorded_at' | 'query'>;

/** An entry that was disposed of has kept only the time of its recording. */
export function cellOf({ query, recorded_at }: CountedRow): TallyCell {
  if (!query) return { day: dayOf(recorded_at.getTime()), family: null, type: null, outcome: null, count: 1 };
  const { effective_at, event_family, event_type, outcome = null } = query;
  return { day: dayOf(effective_at.getTime()), family: event_family, type: event_type, outcome, count: 1 };
}

export class EventTally {
  readonly #cells = new Map<string, { cell: TallyCell; count: number }>();

  static of(rows: Iterable<CountedRow>): EventTally {
    const tally = new EventTally();
    for (const row of rows) tally.add(cellOf(row));
    return tally;
  }

  /** Number of different kinds and days, which is what a tally costs. */
  get size(): number {
    return this.#cells.size;
  }

  add(cell: TallyCell): void {
    // No name holds a NUL: envelopes with one are refused.
    const key = `${cell.day}\0${cell.family ?? '\0'}\0${cell.type ?? '\0'}\0${cell.outcome ?? '\0'}`;
    const known = this.#cells.get(key);
    if (known) known.count += cell.count;
    else this.#cells.set(key, { cell, count: cell.count });
  }

  addAll(other: EventTally): void {
    for (const cell of other.cells()) this.add(cell);
  }

  *cells(): Generator<TallyCell> {
    for (const { cell, count } of this.#cells.values()) yield { ...cell, count };
  }

  /** The same text for the same tally, whatever order it was made in: names once, cells by their numbers. */
  toText(): string {
    const cells = [...this.#cells.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
    const names: string[] = [];
    const numbers = new Map<string, number>();
    const numberOf = (name: string | null): number => {
      if (name === null) return -1;
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, names.length);
      names.push(name);
      return names.length - 1;
    };
    const rows = cells.map(([, { cell, count }]) => [
      cell.day,
      numberOf(cell.family),
      numberOf(cell.type),
      numberOf(cell.outcome),
      count,
    ]);
    return JSON.stringify([names, rows]);
  }

  static fromText(text: string): EventTally {
    const [names, rows] = JSON.parse(text) as [string[], [number, number, number, number, number][]];
    const nameOf = (number: number): string | null => names[number] ?? null;
    const tally = new EventTally();
    for (const [day, family, type, outcome, count] of rows) {
      tally.add({ day, family: nameOf(family), type: nameOf(type), outcome: nameOf(outcome), count });
    }
    return tally;
  }
}
