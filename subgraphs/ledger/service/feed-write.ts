import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { type TransitionRow, transition } from '../../../shared/state-machine/state-machine.js';
import { deadlineMs } from '../domain/feed-deadline.js';
import { FEED_MACHINE, type FeedAction, type FeedState } from '../domain/feed-states.js';
import type { FeedEffect, FeedExceptionEffect, FeedRow, FeedStore, FeedWrite } from './ports/feed-store.js';
import type { TenantContexts } from './tenant-context.js';

export interface FeedDeps extends WorkDeps {
  readonly clock: Clock;
  readonly feeds: FeedStore;
  readonly contexts: TenantContexts;
}

/** Who takes a step: a request, or the service by the clock. */
export interface FeedActor {
  readonly by: string;
  readonly work_id: string | null;
  readonly ids: Ids;
}

export const SWEEP_ACTOR_NAME = 'service:feeds';

export const requestActor = (deps: FeedDeps, context: RequestContext, purpose: string): FeedActor => ({
  by: context.principal.keyId,
  work_id: context.workId,
  ids: forWork(deps, context, purpose).ids,
});

export const sweepActor = ({ ids }: Pick<FeedDeps, 'ids'>): FeedActor => ({ by: SWEEP_ACTOR_NAME, work_id: null, ids });

export type FeedChanges = Partial<
  Pick<
    FeedRow,
    | 'description'
    | 'format'
    | 'expected_interval_seconds'
    | 'grace_seconds'
    | 'watched_from'
    | 'last_heartbeat_at'
    | 'last_event_at'
  >
>;

/** The write of one step from where a feed stands. @throws INVALID_TRANSITION */
export function feedWrite(
  { clock }: Pick<FeedDeps, 'clock'>,
  actor: FeedActor,
  standing: FeedRow,
  action: FeedAction,
  changes: FeedChanges = {},
): FeedWrite {
  const step = transition(FEED_MACHINE, standing.status, action);
  const { history: _, ...before } = standing;
  const nowMs = clock.nowMs();
  const changed = { ...before, ...changes };
  const feed = {
    ...changed,
    status: step.to,
    due_at: new Date(deadlineMs(changed)),
    revision: standing.revision + 1,
    updated_at: new Date(nowMs),
  };
  return writeOf(actor, feed, step);
}

/** The write that makes a feed. */
export const feedBirth = (actor: FeedActor, feed: FeedWrite['feed']): FeedWrite =>
  writeOf(actor, feed, transition(FEED_MACHINE, null, 'create'));

function writeOf(
  actor: FeedActor,
  feed: FeedWrite['feed'],
  { from, to, action, emits }: TransitionRow<FeedState, FeedAction>,
): FeedWrite {
  const pending: FeedEffect[] = emits.map((eventType) =>
    ledgerEntryEffect(actor.ids, {
      tenant_id: feed.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'source-feed',
        event_type: eventType,
        event_effective_timestamp: isoTime(feed.updated_at.getTime()),
        outcome: to,
        payload: {
          feed_id: feed.feed_id,
          source_system: feed.source_system,
          action,
          from,
          to,
          revision: feed.revision,
          by: actor.by,
          expected_interval_seconds: feed.expected_interval_seconds,
          grace_seconds: feed.grace_seconds,
        },
      },
    }),
  );
  if (to === 'STALE' && from !== 'STALE') pending.push(staleEffect(actor.ids, feed));
  if (from === 'STALE' && to !== 'STALE') pending.push(overEffect(actor.ids, feed, action));
  const { revision, updated_at: at } = feed;
  return { feed, step: { revision, action, from, to, at, by: actor.by, work_id: actor.work_id }, pending };
}

const subjectOf = (feed: Pick<FeedRow, 'feed_id'>) => ({ kind: 'SOURCE_FEED', id: feed.feed_id });

const timeOrNull = (at: Date | null): string | null => at && isoTime(at.getTime());

const staleEffect = (ids: Ids, feed: FeedWrite['feed']): FeedExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'feed-exception',
  tenant_id: feed.tenant_id,
  exception: 'FEED_STALE',
  subject: subjectOf(feed),
  opens: {
    exception_id: ids.next('exception'),
    detail: {
      source_system: feed.source_system,
      last_heartbeat_at: timeOrNull(feed.last_heartbeat_at),
      last_event_at: timeOrNull(feed.last_event_at),
      expected_interval_seconds: feed.expected_interval_seconds,
      grace_seconds: feed.grace_seconds,
      due_at: isoTime(feed.due_at.getTime()),
    },
  },
  note: '',
});

const WHY_OVER: Partial<Record<FeedAction, string>> = {
  recover: 'The feed was heard of again.',
  pause: 'The feed was paused.',
  delete: 'The feed was deleted.',
};

const overEffect = (ids: Ids, feed: FeedWrite['feed'], action: FeedAction): FeedExceptionEffect => ({
  id: ids.next('effect'),
  kind: 'feed-exception',
  tenant_id: feed.tenant_id,
  exception: 'FEED_STALE',
  subject: subjectOf(feed),
  opens: null,
  note: WHY_OVER[action] ?? 'The feed is not stale any more.',
});
