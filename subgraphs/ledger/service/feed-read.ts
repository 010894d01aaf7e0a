import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { withLedgerSigns } from './feed-signs.js';
import type { FeedDeps } from './feed-write.js';
import type { FeedQuery, FeedRow } from './ports/feed-store.js';

export async function listFeeds(deps: FeedDeps, context: RequestContext, query: FeedQuery): Promise<Page<FeedRow>> {
  const rows = await deps.feeds.forTenant(authorise(context, 'feeds:read')).list(query);
  const page = pageOf(rows, query.limit, (feed) => ({ atMs: feed.created_at.getTime(), id: feed.feed_id }));
  const items = await Promise.all(page.items.map((feed) => withLedgerSigns(deps, feed)));
  return { items, next_cursor: page.next_cursor };
}

export async function getFeed(deps: FeedDeps, context: RequestContext, feedId: string): Promise<FeedRow | null> {
  const feeds = deps.feeds.forTenant(authorise(context, 'feeds:read'));
  const found = isIdOf('feed', feedId) ? await feeds.get(feedId) : null;
  return found && withLedgerSigns(deps, found);
}
