/** What a feed's deadline is reckoned from. */
export interface FeedSigns {
  /** From when on it is expected: its making, or the end of its last pause. */
  readonly watched_from: Date;
  readonly last_heartbeat_at: Date | null;
  /** When the last event of its source system was recorded. */
  readonly last_event_at: Date | null;
  readonly expected_interval_seconds: number;
  readonly grace_seconds: number;
}

const MS_PER_SECOND = 1_000;

/** The last that was heard of it, or the moment from which it is expected. */
export const lastSignMs = ({ watched_from, last_heartbeat_at, last_event_at }: FeedSigns): number =>
  Math.max(watched_from.getTime(), last_heartbeat_at?.getTime() ?? 0, last_event_at?.getTime() ?? 0);

/** Until then nothing is amiss; later it is stale. */
export const deadlineMs = (feed: FeedSigns): number =>
  lastSignMs(feed) + (feed.expected_interval_seconds + feed.grace_seconds) * MS_PER_SECOND;

export const isOverdue = (feed: FeedSigns, nowMs: number): boolean => nowMs > deadlineMs(feed);
