import type { LedgerRow } from './ledger-row.js';

// How many events there are of each kind on each day. A tally of a block of consecutive entries never changes, because
// entries never change: so it can be kept, and tallies of blocks add up to the tally of a chain.

/** Days since 1970-01-01, UTC. */
export type DayNumber = number;

const DAY_MS = 86_400_000;

export const dayOf = (epochMs: number): DayNumber => Math.floor(epochMs / DAY_MS);
export const startOfDayMs = (day: DayNumber): number => day * DAY_MS;
export const dateOf = (day: DayNumber): string => new Date(startOfDayMs(day)).toISOString().slice(0, 10);

/** What events are counted by, each beside the day: kinds then add up, and do not multiply. */
export const TALLIED = ['family', 'type', 'outcome'] as const;
export type Tallied = (typeof TALLIED)[number];

/** Events of one day and one name; null where the entry does not say, or no longer does. */
export interface TallyCell {
  readonly day: DayNumber;
  readonly by: Tallied;
  readonly name: string | null;
  readonly count: number;
}

/** What counting needs of an entry. */
export type CountedRow = Pick<LedgerRow, 'recorded_at' | 'query'>;

/** Events that are alike in all that is counted. */
export interface AlikeEvents extends Readonly<Record<Tallied, string | null>> {
  readonly day: DayNumber;
  readonly count: number;
}

/** An entry that was disposed of has kept only the time of its recording. */
export function countedOf({ query, recorded_at }: CountedRow): AlikeEvents {
  if (!query) return { day: dayOf(recorded_at.getTime()), family: null, type: null, outcome: null, count: 1 };
  const { effective_at, event_family, event_type, outcome = null } = query;
  return { day: dayOf(effective_at.getTime()), family: event_family, type: event_type, outcome, count: 1 };
}

export class EventTally {
  readonly #cells = new Map<string, { cell: TallyCell; count: number }>();

  static of(rows: Iterable<CountedRow>): EventTally {
    const tally = new EventTally();
    for (const row of rows) tally.add(countedOf(row));
    return tally;
  }

  /** Number of different kinds and days, which is what a tally costs. */
  get size(): number {
    return this.#cells.size;
  }

  add(events: AlikeEvents): void {
    for (const by of TALLIED) this.#add({ day: events.day, by, name: events[by], count: events.count });
  }

  addAll(other: EventTally): void {
    for (const cell of other.cells()) this.#add(cell);
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
    const rows = cells.map(([, { cell, count }]) => [cell.day, TALLIED.indexOf(cell.by), numberOf(cell.name), count]);
    return JSON.stringify([names, rows]);
  }

  static fromText(text: string): EventTally {
    const [names, rows] = JSON.parse(text) as [string[], [number, number, number, number][]];
    const tally = new EventTally();
    for (const [day, by, name, count] of rows) {
      tally.#add({ day, by: TALLIED[by] ?? 'family', name: names[name] ?? null, count });
    }
    return tally;
  }

  #add(cell: TallyCell): void {
    // No name holds a NUL: envelopes with one are refused.
    const key = `${cell.day}\0${cell.by}\0${cell.name ?? '\0'}`;
    const known = this.#cells.get(key);
    if (known) known.count += cell.count;
    else this.#cells.set(key, { cell, count: cell.count });
  }
}
