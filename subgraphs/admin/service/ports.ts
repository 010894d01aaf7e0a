import type { GrantedScope } from '../../../shared/auth/scopes.js';
import type { TenantSummary } from '../../../shared/contracts/tenants.js';
import type { ListWindow } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { ApiKeyStatus } from '../domain/api-key-status.js';
import type { Reach } from '../domain/key-grant.js';
import type { AdminEffect } from './ports/admin-effects.js';

export type TenantStatus = TenantSummary['status'];

export interface TenantRecord {
  readonly tenant_id: TenantId;
  readonly name: string;
  readonly status: TenantStatus;
  readonly log_id: string;
  readonly created_at: Date;
  /** Where the tenant has a limit of its own; 0 is none. */
  readonly rate_limit_per_minute?: number | null;
}

export interface TenantQuery extends ListWindow {
  readonly status?: TenantStatus | undefined;
  readonly name?: string | undefined;
}

export interface TenantChange {
  /** Made only while the tenant is in this state. */
  readonly from: TenantStatus;
  readonly set: Partial<Pick<TenantRecord, 'name' | 'status' | 'rate_limit_per_minute'>>;
  readonly pending: readonly PendingEffect[];
}

/** Tenants that a principal may see; the reserved one is never among them. */
export interface TenantsInReach {
  get(tenantId: string): Promise<TenantRecord | null>;
  /** Up to `limit + 1` rows in order. */
  list(query: TenantQuery): Promise<readonly TenantRecord[]>;
  /** The tenant as it is afterwards; null when it is not there or not in that state. */
  change(tenantId: string, change: TenantChange): Promise<TenantRecord | null>;
}

export interface Tenants {
  /** False when the identifier is taken. Durable when it resolves. */
  insert(tenant: TenantRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): TenantsInReach;
  /** Any tenant, the reserved one included: for the directory alone. */
  summary(tenantId: string): Promise<TenantSummary | undefined>;
}

export interface ApiKeyRecord {
  readonly key_id: string;
  /** A tenant, or `*` for an operator's key. */
  readonly tenant_id: Reach;
  readonly name: string;
  readonly scopes: readonly GrantedScope[];
  readonly prefix: string | null;
  readonly last_four: string;
  readonly created_at: Date;
  /** The key that made it; null for the first operator key. */
  readonly created_by: string | null;
  readonly expires_at: Date | null;
  /** Own roles by id, built-in ones by name. */
  readonly role_ids: readonly string[];
  /** The actor whose roles bound what the key amounts to, and whom entries name. */
  readonly actor_id: string | null;
  /** Blocks of addresses that it may come from; empty for any. */
  readonly allowed_cidrs: readonly string[];
  /** Set by a rotation: until then it works beside its successor. */
  readonly grace_ends_at: Date | null;
  readonly rotated_to: string | null;
  readonly rotated_from: string | null;
  readonly last_used_at: Date | null;
  /** Where the last use came from: an address of a system or an office, kept to find leaked keys by. */
  readonly last_used_address: string | null;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
}

/** What stands beside the record for checking a presented key; never leaves the service room. */
export interface ApiKeyProof {
  /** The key id inside the key; null for a key that an operator brought along. */
  readonly lookup_id: string | null;
  /** HMAC-SHA-256 of the whole key, lower-case hex. */
  readonly key_hmac: string;
  /** Set on a generated first operator key; unique, so that of processes starting at once one wins. */
  readonly bootstrap_round: number | null;
}

export type StoredApiKey = ApiKeyRecord & ApiKeyProof;

export interface ApiKeyQuery extends ListWindow {
  readonly status?: ApiKeyStatus | undefined;
  readonly name?: string | undefined;
  readonly nowMs: number;
}

export interface ApiKeysInReach {
  get(keyId: string): Promise<StoredApiKey | null>;
  list(query: ApiKeyQuery): Promise<readonly ApiKeyRecord[]>;
  /** The record as it is afterwards, or null when none was changed: there is none in reach, or it is revoked already. */
  revoke(keyId: string, change: KeyRevocation): Promise<StoredApiKey | null>;
  /** The key as it is afterwards, or null when it is not an ACTIVE one in reach: of several at once one is done. */
  rotate(keyId: string, change: KeyRotation): Promise<RotatedKey | null>;
}

export interface KeyRevocation {
  readonly at: Date;
  readonly by: string;
  readonly pending: readonly PendingEffect[];
}

export interface KeyRotation {
  readonly at: Date;
  /** Null revokes at once. */
  readonly graceEndsAt: Date | null;
  readonly by: string;
  /** Comes into being with the rotation, as its first effect. */
  readonly successor: StoredApiKey;
  readonly pending: readonly PendingEffect[];
}

/** A key that was rotated, and what follows from it: its successor first. */
export interface RotatedKey {
  readonly key: StoredApiKey;
  readonly pending: readonly AdminEffect[];
}

/** The last use of a key since the last write. */
export interface KeyUsed {
  readonly at: Date;
  readonly address: string | null;
}

export interface ApiKeys {
  /** False when a unique value (HMAC, key id, bootstrap round) is taken. Durable when it resolves. */
  insert(key: StoredApiKey, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): ApiKeysInReach;
  byLookupId(lookupId: string): Promise<StoredApiKey | undefined>;
  byHmac(keyHmac: string): Promise<StoredApiKey | undefined>;
  /** Is there a live operator key that holds `*`, other than this one? */
  hasLiveOperatorKeyBeside(keyId: string | null, nowMs: number): Promise<boolean>;
  /** Generated first operator keys up to now, dead ones included. */
  lastBootstrapRound(): Promise<number>;
  /** Is there a live key of the tenant with this role? */
  isRoleHeld(tenantId: Reach, roleId: string, nowMs: number): Promise<boolean>;
  /** Moves `last_used_at` forward, never back. */
  markUsed(uses: ReadonlyMap<string, KeyUsed>): Promise<void>;
}

/** What the deployment decided at its first start. */
export interface DeploymentRecord {
  readonly origin: string;
  /** Tells whether a later start holds the same master key, and tells nothing about the key. */
  readonly master_key_check: string;
  readonly created_at: Date;
}

export interface Deployments {
  /** Stores the record unless there is one; returns the one that stands. */
  fix(record: DeploymentRecord): Promise<DeploymentRecord>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
}
