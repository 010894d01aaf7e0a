import type { GrantedScope } from '../../../../shared/auth/scopes.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { Reach } from '../../domain/key-grant.js';

/** A role of a tenant's own; the built-in ones stand in shared/auth/roles.ts. */
export interface RoleRecord {
  readonly role_id: string;
  readonly tenant_id: Reach;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly GrantedScope[];
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** Set while somebody is about to delete it: it takes no new holders, those that it has keep it. */
  readonly closed_at: Date | null;
}

export interface RoleQuery extends ListWindow {
  readonly name?: string | undefined;
}

export interface RoleChange {
  readonly set: Partial<Pick<RoleRecord, 'name' | 'description' | 'scopes'>> & Pick<RoleRecord, 'updated_at'>;
  readonly pending: readonly PendingEffect[];
}

export interface RolesInReach {
  /** Null for a deleted one, too. */
  get(roleId: string): Promise<RoleRecord | null>;
  /** Up to `limit + 1` rows in order. */
  list(query: RoleQuery): Promise<readonly RoleRecord[]>;
  /** A changed role is open again. TAKEN: another role of the tenant has the name. */
  change(roleId: string, change: RoleChange): Promise<RoleRecord | 'TAKEN' | null>;
  /**
   * Closes a role to new holders, or opens it again. Who gives a role looks at it again afterwards, who deletes one looks
   * for holders after closing it: of the two at once, one sees the other.
   */
  close(roleId: string, at: Date): Promise<RoleRecord | null>;
  reopen(roleId: string): Promise<void>;
  /** Deletes a closed role for good, with what follows from it. False when another has done so. */
  remove(roleId: string, pending: readonly PendingEffect[]): Promise<boolean>;
}

export interface RoleStore {
  /** False when identifier or name is taken. Durable when it resolves. */
  insert(role: RoleRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): RolesInReach;
  /** Those of these roles that are there: what a key's worth is made of. */
  scopesOf(tenantId: Reach, roleIds: readonly string[]): Promise<readonly Pick<RoleRecord, 'role_id' | 'scopes'>[]>;
}
