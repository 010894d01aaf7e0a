/** A period from `start` (inclusive) to `end` (exclusive); null is open. */
export interface Period {
  readonly start: Date | null;
  readonly end: Date | null;
}

const startOf = ({ start }: Period): number => start?.getTime() ?? Number.NEGATIVE_INFINITY;
const endOf = ({ end }: Period): number => end?.getTime() ?? Number.POSITIVE_INFINITY;

export const overlaps = (a: Period, b: Period): boolean => startOf(a) < endOf(b) && startOf(b) < endOf(a);

export const isWithin = (period: Period, atMs: number): boolean => startOf(period) <= atMs && atMs < endOf(period);

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Formats a period as answers show it. */
export const shownPeriod = ({ start, end }: Period) => ({ start: iso(start), end: iso(end) });
