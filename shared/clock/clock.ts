/** Time as an argument: nothing outside shared/ reads the system clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Monotonic milliseconds, for durations only. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A time we make: UTC, three decimals, `Z` (evidence.md section 2). */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
