import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { FLAG_STATES, FlagDefinition, FlagType } from '../../domain/feature-flag.js';

export type FlagStatus = (typeof FLAG_STATES)[number];

/** One change of a flag: who, when, and which members changed; the values of before stand in no list. */
export interface FlagChange {
  readonly revision: number;
  /** As the state table names it: `feature-flag.updated`. */
  readonly action: string;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly changed: readonly string[];
}

export interface FlagRecord extends FlagDefinition {
  readonly tenant_id: TenantId;
  readonly key: string;
  readonly status: FlagStatus;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** The latest ones, oldest first; all of them stand in the ledger. */
  readonly history: readonly FlagChange[];
}

export interface FlagQuery extends ListWindow {
  readonly type?: FlagType | undefined;
  readonly enabled?: boolean | undefined;
  readonly owner?: string | undefined;
}

/** A flag as it is to stand, the change that brought it there, and what must follow from it. */
export interface FlagWrite {
  readonly record: Omit<FlagRecord, 'history'>;
  readonly change: FlagChange;
  readonly pending: readonly PendingEffect[];
}

/** Flags of one tenant. */
export interface TenantFlags {
  /** Archived ones too. */
  get(key: string): Promise<FlagRecord | null>;
  /** Up to `limit + 1` flags that are not archived, in order. */
  list(query: FlagQuery): Promise<readonly FlagRecord[]>;
  /** By key, at most `limit`, without the archived ones. */
  all(limit: number): Promise<readonly FlagRecord[]>;
  count(): Promise<number>;
  /** Null when the key is taken. Durable when it resolves. */
  insert(write: FlagWrite): Promise<FlagRecord | null>;
  /** Null when the flag is no longer at this revision. */
  replace(write: FlagWrite, revision: number): Promise<FlagRecord | null>;
  /** Performs what a write has left behind. */
  relay(write: FlagWrite): Promise<void>;
}

export type FlagStore = (tenantId: TenantId) => TenantFlags;
