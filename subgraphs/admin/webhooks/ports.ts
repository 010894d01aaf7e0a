import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RowReader } from '../../../shared/records/row-store.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { AdminEffect } from '../parts.js';
import type { SuspensionReason, WebhookHealth, WebhookStatus } from './domain.js';
import type { WebhookOwner } from './owner.js';
import type { Webhook } from './schema.js';

/** A former secret, which still signs deliveries until its end. */
export interface FormerSecret {
  /** Wrapped by the master key, base64. */
  readonly wrapped: string;
  readonly until: Date;
}

/** A webhook as stored; its secrets are wrapped and never leave the area. */
export type WebhookRecord = Stored<
  Webhook,
  {
    status: WebhookStatus;
    health: WebhookHealth;
    /** The actor of the key that made it; null for a key without one. */
    created_by_actor: string | null;
    wrapped_secret: string;
    /** Newest first. Expired ones are ignored; the next rotation erases them. */
    former_secrets: readonly FormerSecret[];
    /** Chain heads at which the webhook started to follow the ledger; it receives later events. */
    ledger_from: readonly ChainHead[];
    /** Work id of the last request that changed it; the same request run again finds the change. */
    work_id: string | null;
  },
  'previous_secret_expires_at'
>;

type Fixed = 'webhook_id' | 'tenant_id' | 'created_at' | 'created_by' | 'created_by_actor' | 'health';

/** A change of one revision with its effects. */
export interface WebhookChange {
  readonly revision: number;
  readonly set: Partial<Omit<WebhookRecord, Fixed>>;
  /** Clears the failures and restarts the five days. */
  readonly clearFailures?: boolean;
  readonly pending: readonly AdminEffect[];
  /** Effects that only the sweep performs, some seconds later. */
  readonly later?: readonly AdminEffect[];
}

/** Webhooks of one tenant, without deleted ones. */
export interface TenantWebhooks extends RowReader<WebhookRecord> {
  /** @returns null if it has another revision by now. Durable when it resolves. */
  change(webhookId: string, change: WebhookChange): Promise<WebhookRecord | null>;
  /** Adds effects of an act that changes no member. @returns false unless it is ACTIVE. Durable when it resolves. */
  attach(webhookId: string, pending: readonly AdminEffect[]): Promise<boolean>;
}

/** `made`, or the reason of a failure: the id is `taken`, or the tenant has the maximum (`full`). */
export type Insertion = 'made' | 'taken' | 'full';

export interface WebhookStore {
  /** Inserts unless the tenant has `most` webhooks, under concurrency too. Durable when it resolves. */
  insert(webhook: WebhookRecord, pending: readonly AdminEffect[], most: number): Promise<Insertion>;
  /** @param owner limits the reads to the webhooks of this key and actor */
  forTenant(tenantId: TenantId, owner?: WebhookOwner | null): TenantWebhooks;
  /** Returns a webhook by id alone, deleted ones too; for deliveries, because their rows have ids of this store. */
  byId(webhookId: string): Promise<WebhookRecord | null>;
  /** Erases expired former secrets. */
  eraseFormerSecrets(at: Date): Promise<void>;
  /** Returns the webhooks of a tenant in any status but DELETED. */
  existing(tenantId: TenantId): Promise<readonly WebhookRecord[]>;
  /** Returns the tenants with webhooks. */
  tenantIds(): Promise<readonly TenantId[]>;
  /** Returns the ACTIVE webhooks of a tenant. */
  active(tenantId: TenantId): Promise<readonly WebhookRecord[]>;
  /**
   * Ends a run of failures. Successes of one process within a second are written once.
   *
   * @returns false if a warning is open for the run; `noteRecovery` ends such a run.
   */
  noteSuccess(webhookId: string, at: Date): Promise<boolean>;
  /** Ends a run of failures with an open warning. @returns false if there is none. Durable when it resolves. */
  noteRecovery(webhookId: string, at: Date, pending: readonly AdminEffect[]): Promise<boolean>;
  /** @returns the health with this failure; null for an unknown webhook. */
  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null>;
  /** Opens a warning for this run of failures. @returns false if it is over or has a warning. Durable when it resolves. */
  warn(webhookId: string, failingSince: Date, at: Date, pending: readonly AdminEffect[]): Promise<boolean>;
}

/** The members that the relay of messages reads. */
export interface Subscription
  extends Pick<
    WebhookRecord,
    'webhook_id' | 'tenant_id' | 'event_types' | 'source_systems' | 'created_at' | 'last_enabled_at'
  > {}

/** The members that a delivery uses, with the open secrets. */
export interface Signing
  extends Pick<WebhookRecord, 'webhook_id' | 'tenant_id' | 'url' | 'status' | 'throttle_per_second' | 'max_in_flight'> {
  /** The secret as its owner received it: its bytes are the key of the published signature. */
  readonly secret: string;
  /** Newest first; the caller omits those that are expired at the time of the attempt. */
  readonly previous: readonly { readonly secret: string; readonly until: Date }[];
}

/** Webhooks as the delivery of messages uses them (implemented in directory.ts). */
export interface WebhookDirectory {
  /** Returns the ACTIVE webhooks of the tenant; each call reads the database. */
  active(tenantId: TenantId): Promise<readonly Subscription[]>;
  /** Each call reads the database. @returns null for a deleted or unknown webhook: its waiting deliveries are cancelled. */
  signing(webhookId: string): Promise<Signing | null>;
  noteSuccess(webhookId: string, at: Date): Promise<void>;
  /** @returns the health with this failure, for `hasFailedForTooLong`; null for a deleted webhook. */
  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null>;
  /** Opens the exception WEBHOOK_FAILING once for each run of failures; the end of the run resolves it. */
  warn(webhookId: string, at: Date): Promise<void>;
  /**
   * Suspends an ACTIVE webhook; changes no other. The same write carries the `_platform` entry and the exception
   * WEBHOOK_SUSPENDED. Durable when it resolves.
   */
  suspend(webhookId: string, reason: SuspensionReason): Promise<void>;
}
