import type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { Effect, LedgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import type { FeedAction, FeedState } from '../../domain/feed-states.js';

export interface FeedRow {
  readonly feed_id: string;
  readonly tenant_id: TenantId;
  readonly source_system: string;
  readonly format: string | null;
  readonly description: string | null;
  readonly expected_interval_seconds: number;
  readonly grace_seconds: number;
  readonly status: FeedState;
  /** From when on it is expected: its making, or the end of its last pause. */
  readonly watched_from: Date;
  readonly last_heartbeat_at: Date | null;
  readonly last_event_at: Date | null;
  /** When it goes stale unless it is heard of; what the sweep looks for. */
  readonly due_at: Date;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** Latest last. */
  readonly history: readonly FeedStep[];
}

/** A sign of life is no step: steps are changes of what the feed is. */
export interface FeedStep {
  readonly revision: number;
  readonly action: FeedAction;
  readonly from: FeedState | null;
  readonly to: FeedState;
  readonly at: Date;
  /** The key that did it; the service itself where none did. */
  readonly by: string;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** FEED_STALE follows from the change that makes a feed stale, and is taken back by the one that ends it. */
export interface FeedExceptionEffect extends Effect {
  readonly kind: 'feed-exception';
  readonly tenant_id: TenantId;
  readonly exception: ExceptionKind;
  readonly subject: JsonObject;
  /** What is opened under which identifier; null: it is over, for the reason that `note` gives. */
  readonly opens: { readonly exception_id: string; readonly detail: JsonObject } | null;
  readonly note: string;
}

export type FeedEffect = LedgerEntryEffect | FeedExceptionEffect;

export interface FeedWrite {
  readonly feed: Omit<FeedRow, 'history'>;
  readonly step: FeedStep;
  readonly pending: readonly FeedEffect[];
}

export interface FeedQuery extends ListWindow {
  readonly status?: FeedState | undefined;
  readonly source_system?: string | undefined;
  readonly format?: string | undefined;
}

/** Feeds of one tenant; deleted ones are not among them. */
export interface TenantFeeds {
  get(feedId: string): Promise<FeedRow | null>;
  /** Up to `limit + 1` feeds in order. */
  list(query: FeedQuery): Promise<readonly FeedRow[]>;
  /** Those whose deadline is over, and those that are stale: what a sweep judges. */
  toJudge(nowMs: number): AsyncIterable<FeedRow>;
  /** Null when the identifier, or the source system, has a feed already. Durable when it resolves. */
  insert(write: FeedWrite): Promise<FeedRow | null>;
  /** Null when the feed was changed, or heard of, since `standing` was read. */
  replace(write: FeedWrite, standing: FeedRow): Promise<FeedRow | null>;
  /** Notes signs of life; never moves one back. */
  heard(feedId: string, signs: HeardSigns): Promise<void>;
  /** Performs what a write has left behind. */
  relay(write: FeedWrite): Promise<void>;
}

export interface HeardSigns {
  readonly last_heartbeat_at?: Date;
  readonly last_event_at?: Date;
  readonly due_at: Date;
}

export interface FeedStore {
  forTenant(tenantId: TenantId): TenantFeeds;
  /** Tenants that have something to judge, for the sweep. */
  tenantsToJudge(nowMs: number): Promise<readonly TenantId[]>;
}
