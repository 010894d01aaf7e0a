/** A span of effective times: `fromMs` ≤ t < `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the last calendar month in UTC. */
export function lastMonth(nowMs: number): Span {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { fromMs: Date.UTC(year, month - 1), toMs: Date.UTC(year, month) };
}

const MONTH_LENGTH = 7;

/** The month of a time in UTC, as `2026-03`. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, MONTH_LENGTH);
