import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { SystemLedger } from '../../../shared/contracts/system-ledger.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import { type Performers, requirePendingEntry } from '../../../shared/outbox/performers.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import {
  type RecordKind,
  RecordSteps,
  requestTaker,
  type StepDeps,
  type StepTaken,
  type StepTaker,
} from '../../../shared/records/steps.js';
import type { TenantContexts } from '../append/index.js';
import type { OpenExceptions, ResolveException } from '../exceptions/index.js';
import { deadlineMs } from './domain/deadline.js';
import { FEED_MACHINE, type FeedAction } from './domain/states.js';
import type { FeedEffect, FeedExceptionEffect, FeedRow, FeedStore } from './ports.js';
import type { SourceFeedMembers, SourceFeedPatch } from './schema.js';

/** A change of members, and a status to pause or resume. */
interface FeedPatch {
  readonly status: SourceFeedPatch['status'] | undefined;
  readonly revision: number | undefined;
  readonly members: Partial<SourceFeedMembers>;
}

const stepsBy = (deps: FeedDeps, context: RequestContext) =>
  feedSteps(deps, requestTaker(deps, context), authorise(context, 'feeds:write'));

/**
 * Registers a feed; its first interval starts now.
 *
 * @throws VALIDATION_ERROR for a reserved source system, CONFLICT when the source system has a feed.
 */
export async function registerFeed(
  deps: FeedDeps,
  context: RequestContext,
  input: SourceFeedMembers,
): Promise<FeedRow> {
  const steps = stepsBy(deps, context);
  checkAgreement(context, input, input);
  if (isReservedSourceSystem(input.source_system)) {
    const errors = [fault('/source_system', 'reserved', 'This source system is reserved for the service.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  const members = (_id: string, watched_from: Date) => {
    const feed = { ...input, watched_from, last_heartbeat_at: null, last_event_at: null };
    return { ...feed, due_at: new Date(deadlineMs(feed)) };
  };
  const taken = () => problem('CONFLICT', { message: 'This source system has a feed already.' });
  return withLedgerSigns(deps, await steps.create(async (id, at) => members(id, at), { taken }));
}

/** @throws NOT_FOUND, CONFLICT at another revision, INVALID_TRANSITION for a status that the feed cannot take. */
export async function updateFeed(
  deps: FeedDeps,
  context: RequestContext,
  feedId: string,
  { status, revision, members }: FeedPatch,
): Promise<FeedRow> {
  const changed = await stepsBy(deps, context).take(feedId, (feed) => actionFor(status, feed), {
    revision,
    change: (feed, at, action) => {
      checkAgreement(context, members, { ...feed, ...members });
      return { ...members, ...(action === 'resume' ? { watched_from: at } : {}) };
    },
  });
  return withLedgerSigns(deps, changed);
}

/**
 * A sender's own key may register its feed, and must not excuse its own faults: that takes `exceptions:write`.
 *
 * @throws FORBIDDEN, VALIDATION_ERROR if the agreement ends before it begins.
 */
function checkAgreement(context: RequestContext, given: Partial<SourceFeedMembers>, feed: SourceFeedMembers): void {
  if (AGREEMENT_MEMBERS.some((name) => given[name] != null)) requireScope(context, 'exceptions:write');
  const { agreed_from, agreed_until } = feed;
  if (agreed_from == null || agreed_until == null || agreed_from <= agreed_until) return;
  const errors = [fault('/agreed_until', 'order', 'The agreement must not end before it begins.')];
  throw problem('VALIDATION_ERROR', { errors });
}

const AGREEMENT_MEMBERS = ['agreed_faults', 'agreed_from', 'agreed_until'] as const;

/** Deletes a feed; its ledger entries stay, and its source system may get another one. @throws NOT_FOUND */
export const deleteFeed = async (deps: FeedDeps, context: RequestContext, feedId: string): Promise<FeedRow> =>
  withLedgerSigns(deps, await stepsBy(deps, context).take(feedId, 'delete'));

/** Stores a heartbeat. A stale feed becomes healthy; a paused one stays paused. @throws NOT_FOUND */
export async function noteHeartbeat(deps: FeedDeps, context: RequestContext, feedId: string): Promise<FeedRow> {
  const steps = stepsBy(deps, context);
  const last_heartbeat_at = new Date(deps.clock.nowMs());
  const feeds = deps.feeds.forTenant(steps.rows.tenantId);
  const feed = await steps.read(feedId);
  if (feed.status !== 'STALE') {
    await feeds.noteSigns(feedId, {
      last_heartbeat_at,
      due_at: new Date(deadlineMs({ ...feed, last_heartbeat_at })),
    });
  }
  // A sweep may have made it stale just before the heartbeat was stored.
  const recovered = await steps.take(feedId, ({ status }) => (status === 'STALE' ? 'recover' : null), {
    change: () => ({ last_heartbeat_at }),
  });
  return withLedgerSigns(deps, recovered);
}

/** The action that leads to a status; the current status is an update. */
function actionFor(status: FeedPatch['status'], feed: FeedRow): FeedAction {
  if (status === undefined || status === feed.status) return 'update';
  return status === 'PAUSED' ? 'pause' : 'resume';
}

export interface FeedDeps extends StepDeps {
  readonly feeds: FeedStore;
  readonly contexts: TenantContexts;
}

const FEED: RecordKind<FeedRow, 'feed_id', FeedEffect> = {
  machine: FEED_MACHINE,
  idKind: 'feed',
  id: 'feed_id',
  noun: 'source feed',
  family: 'source-feed',
  payload: (feed, { actor_id: _, ...step }) => ({
    feed_id: feed.feed_id,
    source_system: feed.source_system,
    ...step,
    expected_interval_seconds: feed.expected_interval_seconds,
    grace_seconds: feed.grace_seconds,
    // The ledger keeps each agreement and its time.
    ...(feed.agreed_faults != null && {
      agreed_faults: [...feed.agreed_faults],
      agreed_from: feed.agreed_from,
      agreed_until: feed.agreed_until,
    }),
  }),
  derived: (feed) => ({ due_at: new Date(deadlineMs(feed)) }),
  line: ({ actor_id: _, ...line }) => line,
  pending: (entries, taken) => [...entries, ...exceptionEffects(taken)],
  revisionFirst: true,
  // A repeated heartbeat is another sign of life.
  takenAgain: ['recover'],
};

export const feedSteps = (
  { clock, feeds }: Pick<FeedDeps, 'clock' | 'feeds'>,
  taker: StepTaker,
  tenantId: TenantId,
): RecordSteps<FeedRow, 'feed_id', FeedEffect> =>
  new RecordSteps(FEED, { clock, taker, rows: feeds.forTenant(tenantId) });

function exceptionEffects({ before, after, action, ids }: StepTaken<FeedRow>): FeedExceptionEffect[] {
  const wasStale = before?.status === 'STALE';
  const isStale = after.status === 'STALE';
  if (wasStale === isStale) return [];
  const effect = {
    id: ids.next('effect'),
    kind: 'feed-exception',
    tenant_id: after.tenant_id,
    exception: 'FEED_STALE',
    subject: { kind: 'SOURCE_FEED', id: after.feed_id },
  } as const;
  if (!isStale) return [{ ...effect, opens: null, note: RESOLVED_BY[action] ?? 'The feed is no longer stale.' }];
  const detail = {
    source_system: after.source_system,
    last_heartbeat_at: timeOrNull(after.last_heartbeat_at),
    last_event_at: timeOrNull(after.last_event_at),
    expected_interval_seconds: after.expected_interval_seconds,
    grace_seconds: after.grace_seconds,
    due_at: isoTime(after.due_at.getTime()),
  };
  return [{ ...effect, opens: { exception_id: ids.next('exception'), detail }, note: '' }];
}

const RESOLVED_BY: Partial<Record<FeedAction, string>> = {
  recover: 'The feed sent a sign of life.',
  pause: 'The feed was paused.',
  delete: 'The feed was deleted.',
};

const timeOrNull = (at: Date | null): string | null => at && isoTime(at.getTime());

interface FeedEffectDeps {
  /** Appends to the reserved partitions; entries that exist already change nothing. */
  readonly append: SystemLedger['append'];
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** Performs the effects of a feed's steps at least once; a repetition changes nothing. */
export const feedPerformers = (deps: FeedEffectDeps): Performers<FeedEffect> => ({
  'ledger-entry': async (effect) => {
    requirePendingEntry(effect);
    const { id, tenant_id, source_system, entry } = effect;
    await deps.append(tenant_id, [{ ...entry, source_system, source_record_id: id }]);
  },
  'feed-exception': async ({ tenant_id, exception, subject, opens, note }) => {
    if (opens === null) await deps.resolveException(tenant_id, exception, subject, note);
    else await deps.openExceptions(tenant_id, [{ kind: exception, source: 'RECONCILIATION', subject, ...opens }]);
  },
});

export type ReadFeedDeps = Pick<FeedDeps, 'feeds' | 'contexts'>;

export async function listFeeds(
  deps: ReadFeedDeps,
  context: RequestContext,
  query: ListQuery<FeedRow>,
): Promise<Page<FeedRow>> {
  const { items, next_cursor } = await deps.feeds.forTenant(authorise(context, 'feeds:read')).page(query);
  return { items: await Promise.all(items.map((feed) => withLedgerSigns(deps, feed))), next_cursor };
}

export async function getFeed(deps: ReadFeedDeps, context: RequestContext, feedId: string): Promise<FeedRow | null> {
  const feeds = deps.feeds.forTenant(authorise(context, 'feeds:read'));
  const found = isIdOf('feed', feedId) ? await feeds.get(feedId) : null;
  return found && withLedgerSigns(deps, found);
}

/** Returns the feeds with these identifiers, by the rule of `getFeed`. */
export async function namedFeeds(
  deps: ReadFeedDeps,
  context: RequestContext,
  feedIds: readonly string[],
): Promise<readonly FeedRow[]> {
  const found = await deps.feeds.forTenant(authorise(context, 'feeds:read')).among(feedIds);
  return Promise.all(found.map((feed) => withLedgerSigns(deps, feed)));
}

/** The feed with the time of its source system's last event, read from the end of the chain: appends store no sign. */
export async function withLedgerSigns({ contexts }: Pick<ReadFeedDeps, 'contexts'>, feed: FeedRow): Promise<FeedRow> {
  const tenant = await contexts.of(feed.tenant_id);
  const tail = await tenant.ledger.tail(feed.source_system);
  if (!tail || tail.recordedAtMs <= (feed.last_event_at?.getTime() ?? Number.NEGATIVE_INFINITY)) return feed;
  return { ...feed, last_event_at: new Date(tail.recordedAtMs) };
}
