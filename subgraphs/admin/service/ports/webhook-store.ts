import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { SuspensionReason, WebhookHealth, WebhookStatus } from '../../domain/webhook.js';
import type { AdminEffect } from './admin-effects.js';

/** A secret that signs beside the current one until its time is over. */
export interface FormerSecret {
  /** Under the master key, base64. */
  readonly wrapped: string;
  readonly until: Date;
}

/** A subscription as it is stored; secrets stand wrapped and never leave the service room. */
export interface WebhookRecord {
  readonly webhook_id: string;
  readonly tenant_id: TenantId;
  readonly url: string;
  readonly description: string | null;
  /** Kinds, `*` or `bundle.*`, as they were given. */
  readonly event_types: readonly string[];
  /** Only events of these source systems; null: of every one but the reserved partitions. */
  readonly source_systems: readonly string[] | null;
  readonly status: WebhookStatus;
  readonly suspension_reason: SuspensionReason | null;
  readonly health: WebhookHealth;
  /** Deliveries begun in a second; null: as many as come. */
  readonly throttle_per_second: number | null;
  readonly max_in_flight: number;
  readonly wrapped_secret: string;
  /** Newest first; those that are over are erased by the next rotation, and count for nothing. */
  readonly former_secrets: readonly FormerSecret[];
  /** Where the ledger stood when it began to want what is appended: it is told of what comes after. */
  readonly ledger_from: readonly ChainHead[];
  /** Counts its changes; health is none. */
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** Since when it is sent what happens: its making, or the last time that it was enabled. */
  readonly last_enabled_at: Date;
  /** Of the last request that changed it: the same request run again finds it done. */
  readonly work_id: string | null;
}

export interface WebhookQuery extends ListWindow {
  readonly status?: WebhookStatus | undefined;
  readonly url?: string | undefined;
}

type Fixed = 'webhook_id' | 'tenant_id' | 'created_at' | 'created_by' | 'health';

/** A change made on one revision, with what follows from it. */
export interface WebhookChange {
  readonly revision: number;
  readonly set: Partial<Omit<WebhookRecord, Fixed>>;
  /** Forget the failures there were: the five days begin anew. */
  readonly clearFailures?: boolean;
  readonly pending: readonly AdminEffect[];
}

/** Subscriptions of one tenant; deleted ones are not there. */
export interface TenantWebhooks {
  get(webhookId: string): Promise<WebhookRecord | null>;
  /** Up to `limit + 1` in order. */
  list(query: WebhookQuery): Promise<readonly WebhookRecord[]>;
  /** Null when it is no longer at that revision. Durable when it resolves. */
  change(webhookId: string, change: WebhookChange): Promise<WebhookRecord | null>;
  /** Effects of an act that changes nothing of it. False when it is not ACTIVE. Durable when it resolves. */
  attach(webhookId: string, pending: readonly AdminEffect[]): Promise<boolean>;
}

/** Made, or why not: the id is taken, or the tenant has as many as it may have. */
export type Insertion = 'made' | 'taken' | 'full';

export interface WebhookStore {
  /** Whether there was room: the tenant has `most` at most, however many are made at once. Durable when it resolves. */
  insert(webhook: WebhookRecord, pending: readonly AdminEffect[], most: number): Promise<Insertion>;
  forTenant(tenantId: TenantId): TenantWebhooks;
  /** By id alone, deleted ones too: for the delivery, whose rows hold ids that this store gave them. */
  byId(webhookId: string): Promise<WebhookRecord | null>;
  /** Former secrets whose time is over are no longer there. */
  eraseFormerSecrets(at: Date): Promise<void>;
  /** Subscriptions of one tenant that are there, whatever their status. */
  standing(tenantId: TenantId): Promise<readonly WebhookRecord[]>;
  /** Tenants that have subscriptions. */
  tenantIds(): Promise<readonly TenantId[]>;
  /** Subscriptions that are ACTIVE now, of one tenant. */
  active(tenantId: TenantId): Promise<readonly WebhookRecord[]>;
  /**
   * Ends the run of failures. Notes of one process within a second of each other are written once.
   *
   * @returns false when somebody was told of the run: `noteRelief` ends such a one.
   */
  noteSuccess(webhookId: string, at: Date): Promise<boolean>;
  /** Ends a run of failures that somebody was told of. False when there is none. Durable when it resolves. */
  noteRelief(webhookId: string, at: Date, pending: readonly AdminEffect[]): Promise<boolean>;
  /** @returns the health with this failure in it; null for what is not there. */
  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null>;
  /** Somebody is told of this run of failures. False when it is over, or was told of. Durable when it resolves. */
  warn(webhookId: string, failingSince: Date, at: Date, pending: readonly AdminEffect[]): Promise<boolean>;
}

/** What the relay needs to know of a subscription. */
export interface Subscription
  extends Pick<
    WebhookRecord,
    'webhook_id' | 'tenant_id' | 'event_types' | 'source_systems' | 'created_at' | 'last_enabled_at'
  > {}

/** What a delivery is sent with. */
export interface Signing
  extends Pick<WebhookRecord, 'webhook_id' | 'tenant_id' | 'url' | 'status' | 'throttle_per_second' | 'max_in_flight'> {
  /** The secret string as its owner was given it: its bytes key the published signature. */
  readonly secret: string;
  /** Newest first; a caller leaves out those whose `until` is over at the moment of the attempt. */
  readonly previous: readonly { readonly secret: string; readonly until: Date }[];
}

/** What the delivery of messages may do with subscriptions (implemented in service/webhook-directory.ts). */
export interface WebhookDirectory {
  /** ACTIVE subscriptions of the tenant. Read afresh on every call. */
  active(tenantId: TenantId): Promise<readonly Subscription[]>;
  /** Null when it is deleted, or never was: what waits for it is to be cancelled. Read afresh on every call. */
  signing(webhookId: string): Promise<Signing | null>;
  noteSuccess(webhookId: string, at: Date): Promise<void>;
  /** @returns the health with this failure in it, to be judged by `hasFailedForTooLong`; null when it is gone. */
  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null>;
  /** Opens the exception WEBHOOK_FAILING, once for each run of failures; it is over with the run. */
  warn(webhookId: string, at: Date): Promise<void>;
  /**
   * Suspends an ACTIVE subscription; on any other it changes nothing. The `_platform` entry and the exception
   * WEBHOOK_SUSPENDED are effects of the same write: it is never silent. Durable when it resolves.
   */
  suspend(webhookId: string, reason: SuspensionReason): Promise<void>;
}
