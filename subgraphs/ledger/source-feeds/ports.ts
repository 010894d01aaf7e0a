import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Effect, LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type { Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { Agreement } from '../formats/domain.js';
import type { FeedAction, FeedState } from './domain/states.js';
import type { SourceFeed } from './schema.js';

interface OwnMembers {
  /** Start of the first interval: the registration, or the end of the last pause. */
  readonly watched_from: Date;
  /** Deadline for the next sign of life; a paused feed keeps its last one. */
  readonly due_at: Date;
  readonly history: readonly Omit<StepLine<FeedState, FeedAction>, 'actor_id'>[];
}

export type FeedRow = Stored<SourceFeed, OwnMembers>;

/** A step that makes a feed stale opens FEED_STALE; the step that ends it resolves the exception. */
export interface FeedExceptionEffect extends Effect {
  readonly kind: 'feed-exception';
  readonly tenant_id: TenantId;
  readonly exception: ExceptionKind;
  readonly subject: JsonObject;
  /** The exception to open; null resolves the open one with `note` as the reason. */
  readonly opens: { readonly exception_id: string; readonly detail: JsonObject } | null;
  readonly note: string;
}

export type FeedEffect = LedgerEntryEffect | FeedExceptionEffect;

/** Signs of life are not steps: a step changes the feed itself. */
export interface FeedSigns {
  readonly last_heartbeat_at?: Date;
  readonly last_event_at?: Date;
  readonly due_at: Date;
}

/** Feeds of one tenant, without the deleted ones. */
export interface TenantFeeds extends Records<FeedRow, FeedEffect> {
  /** Stale feeds and feeds past their deadline. */
  toSweep(nowMs: number): AsyncIterable<FeedRow>;
  /** Stores signs of life; never moves a time back. */
  noteSigns(feedId: string, signs: FeedSigns): Promise<void>;
}

/** The agreements of a tenant on a day (`YYYY-MM-DD`), by source system. */
export type AgreementsOn = (tenantId: string, day: string) => Promise<ReadonlyMap<string, Agreement>>;

export interface FeedStore {
  forTenant(tenantId: TenantId): TenantFeeds;
  /** Tenants that have feeds to sweep. */
  tenantsToSweep(nowMs: number): Promise<readonly TenantId[]>;
}
