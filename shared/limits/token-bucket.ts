/** A token bucket, counted from its full end: `used` drains at the bucket's rate. An unknown bucket is full. */
export interface Bucket {
  readonly used: number;
  readonly atMs: number;
}

export interface Draw {
  readonly bucket: Bucket;
  /** Tokens given: all that were asked for, or what was left. */
  readonly granted: number;
}

const MINUTE_MS = 60_000;

/** Takes up to `wanted` tokens; what is refused costs nothing. @param perMinute capacity, and what a minute brings back */
export function draw(bucket: Bucket | undefined, perMinute: number, nowMs: number, wanted: number): Draw {
  const elapsedMs = bucket === undefined ? 0 : Math.max(0, nowMs - bucket.atMs);
  const used = Math.max(0, (bucket?.used ?? 0) - (elapsedMs * perMinute) / MINUTE_MS);
  const granted = Math.max(0, Math.min(wanted, Math.floor(perMinute - used)));
  // A clock that went back must not refill twice.
  return { bucket: { used: used + granted, atMs: Math.max(nowMs, bucket?.atMs ?? 0) }, granted };
}

/** Until the bucket is full again. */
export const untilFullMs = (used: number, perMinute: number): number => (used * MINUTE_MS) / perMinute;

/** Until one more token is there. */
export const untilNextMs = (used: number, perMinute: number): number =>
  Math.max(0, ((used + 1 - perMinute) * MINUTE_MS) / perMinute);
