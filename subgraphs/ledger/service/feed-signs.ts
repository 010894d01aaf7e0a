import type { FeedDeps } from './feed-write.js';
import type { FeedRow } from './ports/feed-store.js';

/**
 * The feed with the time of its source system's last event. Ingest counts as a sign of life and costs nothing for it: the
 * time is read off the end of the chain whenever it is asked for.
 */
export async function withLedgerSigns(deps: Pick<FeedDeps, 'contexts'>, feed: FeedRow): Promise<FeedRow> {
  const tenant = await deps.contexts.of(feed.tenant_id);
  const tail = await tenant.ledger.tail(feed.source_system);
  if (!tail || tail.recordedAtMs <= (feed.last_event_at?.getTime() ?? Number.NEGATIVE_INFINITY)) return feed;
  return { ...feed, last_event_at: new Date(tail.recordedAtMs) };
}
