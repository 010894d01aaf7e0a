/** Members that a feed's deadline follows from. */
interface FeedSigns {
  /** Start of the first interval: the registration, or the end of the last pause. */
  readonly watched_from: Date;
  readonly last_heartbeat_at: Date | null;
  /** Time at which the last event of the source system was recorded. */
  readonly last_event_at: Date | null;
  readonly expected_interval_seconds: number;
  readonly grace_seconds: number;
}

const MS_PER_SECOND = 1_000;

/** The time of the last sign of life, or the start of the first interval. */
const lastSignMs = ({ watched_from, last_heartbeat_at, last_event_at }: FeedSigns): number =>
  Math.max(watched_from.getTime(), last_heartbeat_at?.getTime() ?? 0, last_event_at?.getTime() ?? 0);

/** The feed is stale after this time. */
export const deadlineMs = (feed: FeedSigns): number =>
  lastSignMs(feed) + (feed.expected_interval_seconds + feed.grace_seconds) * MS_PER_SECOND;

export const isOverdue = (feed: FeedSigns, nowMs: number): boolean => nowMs > deadlineMs(feed);
