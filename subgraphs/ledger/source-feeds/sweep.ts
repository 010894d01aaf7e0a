import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { requestTaker, type StepTaker, serviceTaker } from '../../../shared/records/steps.js';
import { type FeedDeps, feedSteps, withLedgerSigns } from './change.js';
import { deadlineMs, isOverdue } from './domain/deadline.js';
import type { FeedRow } from './ports.js';
import type { SourceFeedSweep } from './schema.js';

const SWEEP_NAME = 'service:feeds';

/** Sweeps the feeds of the tenant now. Opens and resolves FEED_STALE. */
export function sweepFeeds(deps: FeedDeps, context: RequestContext): Promise<SourceFeedSweep> {
  const tenantId = authorise(context, 'feeds:write');
  return sweepTenant(deps, requestTaker(deps, context), tenantId);
}

/** Sweeps the feeds of every tenant; the signal ends it between two tenants. */
export async function sweepAllFeeds(deps: FeedDeps, signal: AbortSignal): Promise<void> {
  for (const tenantId of await deps.feeds.tenantsToSweep(deps.clock.nowMs())) {
    if (signal.aborted) return;
    await sweepTenant(deps, serviceTaker(deps.ids, SWEEP_NAME), tenantId);
  }
}

async function sweepTenant(deps: FeedDeps, taker: StepTaker, tenantId: TenantId): Promise<SourceFeedSweep> {
  const found: SourceFeedSweep = { judged: 0, became_stale: [], recovered: [] };
  for await (const feed of deps.feeds.forTenant(tenantId).toSweep(deps.clock.nowMs())) {
    found.judged++;
    const change = await sweepFeed(deps, taker, feed);
    if (change === 'expire') found.became_stale.push(feed.feed_id);
    if (change === 'recover') found.recovered.push(feed.feed_id);
  }
  return found;
}

/** Leaves a feed that changes or sends a sign of life meanwhile to the next sweep. */
async function sweepFeed(deps: FeedDeps, taker: StepTaker, feed: FeedRow): Promise<'expire' | 'recover' | null> {
  const signs = await withLedgerSigns(deps, feed);
  const { last_event_at } = signs;
  const isLate = isOverdue(signs, deps.clock.nowMs());
  if (isLate === (feed.status === 'STALE')) {
    if (!isLate && last_event_at) {
      const due_at = new Date(deadlineMs(signs));
      await deps.feeds.forTenant(feed.tenant_id).noteSigns(feed.feed_id, { last_event_at, due_at });
    }
    return null;
  }
  const action = isLate ? 'expire' : 'recover';
  const changed = await feedSteps(deps, taker, feed.tenant_id).takeOn(feed, action, { last_event_at });
  return changed && action;
}
