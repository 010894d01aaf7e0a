import type { LedgerRow } from '../../append/domain/index.js';

// Number of events of each kind on each day. The tally of a block of consecutive entries never changes, because entries
// never change: it can be stored, and the tallies of blocks sum up to that of a chain.

/** Days since 1970-01-01, UTC. */
type DayNumber = number;

const DAY_MS = 86_400_000;

export const dayOf = (epochMs: number): DayNumber => Math.floor(epochMs / DAY_MS);
export const startOfDayMs = (day: DayNumber): number => day * DAY_MS;
export const dateOf = (day: DayNumber): string => new Date(startOfDayMs(day)).toISOString().slice(0, 10);

/** Members that events are counted by, each per day, so that kinds add up instead of multiplying. */
const TALLIED = ['family', 'type', 'outcome'] as const;
export type Tallied = (typeof TALLIED)[number];

/** Events of one name by day; the name is null where entries have none, or have it no longer. */
interface Series {
  readonly by: Tallied;
  readonly name: string | null;
  readonly days: ReadonlyMap<DayNumber, number>;
}

/** The members of an entry that counting needs. */
export type CountedRow = Pick<LedgerRow, 'recorded_at' | 'query'>;

/** Events that are equal in every counted member. */
export interface AlikeEvents extends Readonly<Record<Tallied, string | null>> {
  readonly day: DayNumber;
  readonly count: number;
}

/** A disposed entry has kept only its time of recording. */
function countedOf({ query, recorded_at }: CountedRow): AlikeEvents {
  if (!query) return { day: dayOf(recorded_at.getTime()), family: null, type: null, outcome: null, count: 1 };
  const { effective_at, event_family, event_type, outcome = null } = query;
  return { day: dayOf(effective_at.getTime()), family: event_family, type: event_type, outcome, count: 1 };
}

/** Returns a series as text: kind and name by number, then days and counts alternately. */
type SeriesText = readonly [by: number, name: number, counts: readonly number[]];

const NO_NAME = -1;

export class EventTally {
  readonly #series = new Map<string, { by: Tallied; name: string | null; days: Map<DayNumber, number> }>();

  static of(rows: Iterable<CountedRow>): EventTally {
    const tally = new EventTally();
    for (const row of rows) tally.add(countedOf(row));
    return tally;
  }

  /** Number of names and days, which is the cost of a tally. */
  get size(): number {
    let size = 0;
    for (const { days } of this.#series.values()) size += days.size;
    return size;
  }

  series(): Iterable<Series> {
    return this.#series.values();
  }

  add(events: AlikeEvents): void {
    for (const by of TALLIED) increase(this.#daysOf(by, events[by]), events.day, events.count);
  }

  addAll(other: EventTally): void {
    for (const { by, name, days } of other.series()) {
      const own = this.#daysOf(by, name);
      for (const [day, count] of days) increase(own, day, count);
    }
  }

  /** Adds the result of `toText` without building a tally of it: a dashboard sums long texts. */
  addText(text: string): void {
    const [names, series]: readonly [readonly string[], readonly SeriesText[]] = JSON.parse(text);
    for (const [by, name, counts] of series) {
      const own = this.#daysOf(TALLIED[by] ?? 'family', names[name] ?? null);
      for (let at = 0; at + 1 < counts.length; at += 2) increase(own, counts[at] ?? 0, counts[at + 1] ?? 0);
    }
  }

  /** Returns the same text for equal tallies, built in any order. */
  toText(): string {
    const all = [...this.#series.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series);
    const names = [...new Set(all.flatMap(({ name }) => (name === null ? [] : [name])))].sort();
    const numbers = new Map(names.map((name, number) => [name, number]));
    const series = all.map(
      ({ by, name, days }): SeriesText => [
        TALLIED.indexOf(by),
        name === null ? NO_NAME : (numbers.get(name) ?? NO_NAME),
        [...days].sort(([a], [b]) => a - b).flat(),
      ],
    );
    return JSON.stringify([names, series]);
  }

  #daysOf(by: Tallied, name: string | null): Map<DayNumber, number> {
    // No name holds a NUL: ingest rejects such envelopes.
    const key = `${by}\0${name ?? '\0'}`;
    const known = this.#series.get(key);
    if (known) return known.days;
    const made = { by, name, days: new Map<DayNumber, number>() };
    this.#series.set(key, made);
    return made.days;
  }
}

const increase = (days: Map<DayNumber, number>, day: DayNumber, count: number): void => {
  days.set(day, (days.get(day) ?? 0) + count);
};
