import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import { deadlineMs } from '../domain/feed-deadline.js';
import type { FeedAction } from '../domain/feed-states.js';
import { withLedgerSigns } from './feed-signs.js';
import { type FeedActor, type FeedChanges, type FeedDeps, feedBirth, feedWrite, requestActor } from './feed-write.js';
import type { FeedRow } from './ports/feed-store.js';

export interface FeedInput {
  readonly source_system: string;
  readonly format: string | null;
  readonly description: string | null;
  readonly expected_interval_seconds: number;
  readonly grace_seconds: number;
}

export interface FeedPatch {
  readonly format?: string | null;
  readonly description?: string | null;
  readonly expected_interval_seconds?: number;
  readonly grace_seconds?: number;
  /** PAUSED pauses; HEALTHY ends a pause. */
  readonly status?: 'HEALTHY' | 'PAUSED';
  readonly revision?: number;
}

/** Writers who meet on one feed try again this often. */
const MAX_ATTEMPTS = 10;

/**
 * Registers a feed; from now on it is expected. A `_records` entry tells of it.
 * @throws VALIDATION_ERROR for a reserved source system, CONFLICT when the source system has a feed.
 */
export async function registerFeed(deps: FeedDeps, context: RequestContext, input: FeedInput): Promise<FeedRow> {
  const tenantId = authorise(context, 'feeds:write');
  if (isReservedSourceSystem(input.source_system)) {
    const errors = [fault('/source_system', 'reserved', 'This source system is reserved for the service itself.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  const actor = requestActor(deps, context, 'create-source-feed');
  const at = new Date(deps.clock.nowMs());
  const signs = { ...input, watched_from: at, last_heartbeat_at: null, last_event_at: null };
  const feed = {
    ...signs,
    feed_id: actor.ids.next('feed'),
    tenant_id: tenantId,
    status: 'HEALTHY' as const,
    due_at: new Date(deadlineMs(signs)),
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const feeds = deps.feeds.forTenant(tenantId);
  const write = feedBirth(actor, feed);
  const made = await feeds.insert(write);
  if (made) await feeds.relay(write);
  // Its identifier is taken only when this very request has run before: what it made is the answer.
  const standing = made ?? (await feeds.get(feed.feed_id));
  if (!standing) throw problem('CONFLICT', { message: 'This source system has a feed already.' });
  return withLedgerSigns(deps, standing);
}

/** @throws NOT_FOUND, CONFLICT at another revision, INVALID_TRANSITION for a status that it cannot be given. */
export function updateFeed(
  deps: FeedDeps,
  context: RequestContext,
  feedId: string,
  patch: FeedPatch,
): Promise<FeedRow> {
  const { status, revision, ...members } = patch;
  const actor = requestActor(deps, context, 'update-source-feed');
  return change(deps, authorise(context, 'feeds:write'), feedId, (standing) => {
    if (isDoneBy(actor, standing)) return null;
    if (revision !== undefined && revision !== standing.revision) {
      throw problem('CONFLICT', { message: 'The feed is at another revision than the one named.' });
    }
    const action = actionFor(status, standing);
    const watched = action === 'resume' ? { watched_from: new Date(deps.clock.nowMs()) } : {};
    return { actor, action, changes: { ...members, ...watched } };
  });
}

/** Its entries in the ledger stay; the source system may have another one. @throws NOT_FOUND */
export function deleteFeed(deps: FeedDeps, context: RequestContext, feedId: string): Promise<FeedRow> {
  const actor = requestActor(deps, context, 'delete-source-feed');
  const tenantId = authorise(context, 'feeds:write');
  return change(deps, tenantId, feedId, () => ({ actor, action: 'delete', changes: {} }));
}

/** Notes a sign of life; a stale feed is healthy again. A paused one stays paused. @throws NOT_FOUND */
export async function noteHeartbeat(deps: FeedDeps, context: RequestContext, feedId: string): Promise<FeedRow> {
  const tenantId = authorise(context, 'feeds:write');
  const actor = requestActor(deps, context, 'source-feed-heartbeat');
  const last_heartbeat_at = new Date(deps.clock.nowMs());
  const feeds = deps.feeds.forTenant(tenantId);
  const standing = isIdOf('feed', feedId) ? await feeds.get(feedId) : null;
  if (!standing) throw problem('NOT_FOUND');
  if (standing.status !== 'STALE') {
    const due_at = new Date(deadlineMs({ ...standing, last_heartbeat_at }));
    await feeds.heard(feedId, { last_heartbeat_at, due_at });
  }
  // It may have gone stale just before the sign of life was noted.
  return change(deps, tenantId, feedId, (found) =>
    found.status === 'STALE' ? { actor, action: 'recover', changes: { last_heartbeat_at } } : null,
  );
}

interface Change {
  readonly actor: FeedActor;
  readonly action: FeedAction;
  readonly changes: FeedChanges;
}

/** Read, decide, write on what was read. @param decide null leaves it as it is. */
async function change(
  deps: FeedDeps,
  tenantId: TenantId,
  feedId: string,
  decide: (standing: FeedRow) => Change | null,
): Promise<FeedRow> {
  const feeds = deps.feeds.forTenant(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('feed', feedId) ? await feeds.get(feedId) : null;
    if (!standing) throw problem('NOT_FOUND');
    const wanted = decide(standing);
    if (!wanted) return withLedgerSigns(deps, standing);
    const write = feedWrite(deps, wanted.actor, standing, wanted.action, wanted.changes);
    const changed = await feeds.replace(write, standing);
    if (!changed) continue;
    await feeds.relay(write);
    return withLedgerSigns(deps, changed);
  }
  throw problem('CONFLICT', { message: 'The feed is being changed by others; read it and try again.' });
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ work_id }: FeedActor, { history }: FeedRow): boolean =>
  work_id !== null && history.some((step) => step.work_id === work_id);

/** What a status asked for amounts to from where the feed stands; what it has already changes nothing of it. */
function actionFor(status: FeedPatch['status'], standing: FeedRow): FeedAction {
  if (status === undefined || status === standing.status) return 'update';
  return status === 'PAUSED' ? 'pause' : 'resume';
}
