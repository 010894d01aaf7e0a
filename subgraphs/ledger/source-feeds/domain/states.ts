import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// A source feed is the promise of a source system to send a sign of life regularly (api.md section 2 "Source feeds").

export const FEED_STATUSES = ['HEALTHY', 'STALE', 'PAUSED'] as const;
export type FeedStatus = (typeof FEED_STATUSES)[number];
/** A deleted feed stays as a row that its ledger entries refer to; no answer shows it. */
export type FeedState = FeedStatus | 'DELETED';

/** The sweep and heartbeats take `expire` and `recover`, callers the others. */
export type FeedAction = 'create' | 'update' | 'pause' | 'resume' | 'expire' | 'recover' | 'delete';

const write = { scope: 'feeds:write' } as const;
const update = { ...write, action: 'update', emits: ['source-feed.updated'] } as const;
const pause = { ...write, action: 'pause', to: 'PAUSED', emits: ['source-feed.paused'] } as const;
const remove = { ...write, action: 'delete', to: 'DELETED', emits: ['source-feed.deleted'] } as const;

/** A paused feed never goes stale; resumed, it has its whole interval before it. */
export const FEED_MACHINE = stateMachine<FeedState, FeedAction>('source-feed', [
  { from: null, action: 'create', to: 'HEALTHY', ...write, emits: ['source-feed.created'] },
  { from: 'HEALTHY', action: 'expire', to: 'STALE', ...write, emits: ['source-feed.stale'] },
  { from: 'STALE', action: 'recover', to: 'HEALTHY', ...write, emits: ['source-feed.recovered'] },
  { from: 'HEALTHY', ...pause },
  { from: 'STALE', ...pause },
  { from: 'PAUSED', action: 'resume', to: 'HEALTHY', ...write, emits: ['source-feed.resumed'] },
  { from: 'HEALTHY', to: 'HEALTHY', ...update },
  { from: 'STALE', to: 'STALE', ...update },
  { from: 'PAUSED', to: 'PAUSED', ...update },
  { from: 'HEALTHY', ...remove },
  { from: 'STALE', ...remove },
  { from: 'PAUSED', ...remove },
]);
