import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { deadlineMs, isOverdue } from '../domain/feed-deadline.js';
import { withLedgerSigns } from './feed-signs.js';
import { type FeedActor, type FeedDeps, feedWrite, requestActor, sweepActor } from './feed-write.js';
import type { FeedRow, TenantFeeds } from './ports/feed-store.js';

export interface FeedSweep {
  /** Feeds whose deadline was over, and feeds that were stale. */
  readonly judged: number;
  readonly became_stale: readonly string[];
  readonly recovered: readonly string[];
}

/** Judges the tenant's feeds now. Opens and resolves FEED_STALE. */
export function sweepFeeds(deps: FeedDeps, context: RequestContext): Promise<FeedSweep> {
  const tenantId = authorise(context, 'feeds:write');
  return sweepTenant(deps, requestActor(deps, context, 'sweep-source-feeds'), tenantId);
}

/** Judges every tenant's feeds; ends between tenants when told to. */
export async function sweepAllFeeds(deps: FeedDeps, signal: AbortSignal): Promise<void> {
  for (const tenantId of await deps.feeds.tenantsToJudge(deps.clock.nowMs())) {
    if (signal.aborted) return;
    await sweepTenant(deps, sweepActor(deps), tenantId);
  }
}

async function sweepTenant(deps: FeedDeps, actor: FeedActor, tenantId: TenantId): Promise<FeedSweep> {
  const feeds = deps.feeds.forTenant(tenantId);
  const [became_stale, recovered]: [string[], string[]] = [[], []];
  let judged = 0;
  for await (const standing of feeds.toJudge(deps.clock.nowMs())) {
    judged++;
    const verdict = await judge(deps, actor, feeds, standing);
    if (verdict === 'STALE') became_stale.push(standing.feed_id);
    if (verdict === 'RECOVERED') recovered.push(standing.feed_id);
  }
  return { judged, became_stale, recovered };
}

/** A feed that is changed or heard of meanwhile is left to the next sweep. */
async function judge(
  deps: FeedDeps,
  actor: FeedActor,
  feeds: TenantFeeds,
  standing: FeedRow,
): Promise<'STALE' | 'RECOVERED' | null> {
  const { last_event_at, ...signs } = await withLedgerSigns(deps, standing);
  const isLate = isOverdue({ ...signs, last_event_at }, deps.clock.nowMs());
  if (isLate === (standing.status === 'STALE')) {
    if (!isLate && last_event_at) {
      await feeds.heard(standing.feed_id, { last_event_at, due_at: new Date(deadlineMs({ ...signs, last_event_at })) });
    }
    return null;
  }
  const write = feedWrite(deps, actor, standing, isLate ? 'expire' : 'recover', { last_event_at });
  if (!(await feeds.replace(write, standing))) return null;
  await feeds.relay(write);
  return isLate ? 'STALE' : 'RECOVERED';
}
