import type { GrantedScope } from '../../../shared/auth/scopes.js';
import type { ExtraRow } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { RowReader } from '../../../shared/records/row-store.js';
import type { Stored, StoredMembers } from '../../../shared/records/stored.js';
import type { SuccessorKeyEffect } from '../parts.js';
import type { Reach } from '../tenants/domain.js';
import type { ApiKeyStatus } from './domain/api-key-status.js';
import type { ActorKind, ActorStatus } from './domain/states.js';
import type { Actor } from './schema/actor.js';
import type { ApiKey } from './schema/api-key.js';
import type { Role } from './schema/role.js';

/** An actor as stored; `*` as tenant for an actor of the operator. */
export type ActorRecord = StoredMembers<Omit<Actor, 'tenant_id' | 'extra'>> & ExtraRow & { readonly tenant_id: Reach };

/** A change of an actor with its effects; it applies only if the actor is as `from` states. */
export interface ActorChange {
  readonly from: { readonly status?: ActorStatus; readonly hasRole?: string; readonly lacksRole?: string };
  readonly set: Partial<Pick<ActorRecord, 'name' | 'kind' | 'status' | 'email' | 'subject'>> &
    Pick<ActorRecord, 'updated_at'>;
  readonly addRole?: string;
  readonly removeRole?: string;
  readonly pending: readonly PendingEffect[];
}

interface ActorsInReach extends RowReader<ActorRecord> {
  /** @returns the changed actor; null if none in reach is as `from` states. */
  change(actorId: string, change: ActorChange): Promise<ActorRecord | null>;
}

export interface ActorStore {
  /** @returns false if the identifier is taken. Durable when it resolves. */
  insert(actor: ActorRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): ActorsInReach;
  /** Returns whether an actor of the tenant has this role. */
  isRoleHeld(tenantId: Reach, roleId: string): Promise<boolean>;
  /** The actors bound to the subject; if there is none, those bound to the e-mail address and to no subject. */
  ofPerson(
    tenantId: TenantId,
    person: { readonly subject: string; readonly email: string | null },
  ): Promise<readonly ActorRecord[]>;
}

/** The name of who did something: a person, a system, or a key without an actor. */
export interface ActorName {
  readonly name: string;
  readonly kind: ActorKind | 'KEY';
}

/** Names of actors and keys of one tenant, by identifier; others are absent. */
export type ActorNames = (tenantId: Reach, ids: readonly string[]) => Promise<ReadonlyMap<string, ActorName>>;

/** A role of a tenant as stored; built-in roles are in shared/auth/roles.ts. */
export type RoleRecord = Stored<
  Role,
  {
    scopes: readonly GrantedScope[];
    created_by: string;
    /**
     * Set during a deletion: a closed role takes no new holders; present holders keep it. A grant checks the role again after
     * giving it, and a deletion looks for holders after closing it: of two concurrent requests, one sees the other.
     */
    closed_at: Date | null;
  },
  'built_in'
>;

interface RoleChange {
  readonly set: Partial<Pick<RoleRecord, 'name' | 'description' | 'scopes' | 'closed_at' | 'updated_at'>>;
  /** Deletes the role and frees its name. */
  readonly deleted?: boolean;
  readonly pending: readonly PendingEffect[];
}

export interface RolesInReach {
  /** @returns null also for a deleted role. */
  get(roleId: string): Promise<RoleRecord | null>;
  /** Returns up to `limit + 1` rows in order. */
  list(query: ListQuery<RoleRecord>): Promise<readonly RoleRecord[]>;
  /** @returns `taken` if another role of the tenant has the name; null for a deleted role. */
  change(roleId: string, change: RoleChange): Promise<RoleRecord | 'taken' | null>;
}

export interface RoleStore {
  /** @returns false if the identifier or name is taken. Durable when it resolves. */
  insert(role: RoleRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): RolesInReach;
  /** Returns the existing roles among these, for the scopes of a key. */
  scopesOf(tenantId: Reach, roleIds: readonly string[]): Promise<readonly Pick<RoleRecord, 'role_id' | 'scopes'>[]>;
}

/** An API key as lists show it; `*` as tenant for an operator's key. */
export type ApiKeyRecord = StoredMembers<Omit<ApiKey, 'tenant_id' | 'scopes' | 'status'>> & {
  readonly tenant_id: Reach;
  readonly scopes: readonly GrantedScope[];
};

/** A key with the members that check a presented key; they never leave the area. */
export type StoredApiKey = ApiKeyRecord & {
  /** Key id inside the key; null for a key that an operator provided. */
  readonly lookup_id: string | null;
  /** HMAC-SHA-256 of the whole key, lower-case hex. */
  readonly key_hmac: string;
  /** Set on a generated first operator key; unique, so that of concurrent starts one wins. */
  readonly bootstrap_round: number | null;
};

export type ApiKeyQuery = ListQuery<Pick<ApiKeyRecord, 'name'> & { readonly status: ApiKeyStatus }>;

export interface ApiKeysInReach {
  get(keyId: string): Promise<StoredApiKey | null>;
  /** The keys with these identifiers, in no promised order. */
  among(keyIds: readonly string[]): Promise<readonly StoredApiKey[]>;
  /** Returns up to `limit + 1` rows in order. @param nowMs time that decides expiry and the end of grace. */
  list(query: ApiKeyQuery, nowMs: number): Promise<readonly ApiKeyRecord[]>;
  /** @returns the changed key; null if none in reach is as `from` states: of concurrent changes one succeeds. */
  change(keyId: string, change: KeyChange): Promise<StoredApiKey | null>;
}

interface KeyChange {
  /** A key that is ACTIVE at this time; by default one that is not revoked. */
  readonly from: { readonly activeAtMs?: number };
  readonly set: Partial<Pick<StoredApiKey, 'revoked_at' | 'revoked_by' | 'grace_ends_at' | 'rotated_to'>>;
  /** Inserted by the first effect of a rotation. */
  readonly successor?: StoredApiKey;
  readonly pending: readonly PendingEffect[];
}

/** The last use of a key since the last write. */
export interface KeyUsed {
  readonly at: Date;
  readonly address: string | null;
}

export interface ApiKeys {
  /** @returns false if a unique value (HMAC, key id, bootstrap round) is taken. Durable when it resolves. */
  insert(key: StoredApiKey, pending: readonly PendingEffect[]): Promise<boolean>;
  /** Inserts the successor of a rotated key; repeating it changes nothing. */
  insertSuccessor(effect: Pick<SuccessorKeyEffect, 'document'>): Promise<void>;
  within(reach: Reach): ApiKeysInReach;
  byLookupId(lookupId: string): Promise<StoredApiKey | undefined>;
  byHmac(keyHmac: string): Promise<StoredApiKey | undefined>;
  /** Returns whether another live operator key with scope `*` exists. */
  hasOtherLiveOperatorKey(keyId: string | null, nowMs: number): Promise<boolean>;
  /** Returns the number of generated first operator keys, dead ones included. */
  lastBootstrapRound(): Promise<number>;
  /** Returns whether a live key of the tenant has this role. */
  isRoleHeld(tenantId: Reach, roleId: string, nowMs: number): Promise<boolean>;
  /** Moves `last_used_at` forward, never back. */
  markUsed(uses: ReadonlyMap<string, KeyUsed>): Promise<void>;
}
