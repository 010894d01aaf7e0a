/** Age of an unresolved exception in whole days, in buckets, the youngest first. */
export const AGE_BUCKETS = ['DAYS_0_7', 'DAYS_8_30', 'DAYS_31_90', 'OVER_90_DAYS'] as const;
export type AgeBucket = (typeof AGE_BUCKETS)[number];

const DAY_MS = 86_400_000;
/** Whole days at which the next bucket begins. */
const BEGINS = [8, 31, 91] as const;

/** Returns the times between the buckets: an exception opened after the first time is in the first bucket. */
export const ageBounds = (nowMs: number): readonly Date[] => BEGINS.map((days) => new Date(nowMs - days * DAY_MS));
