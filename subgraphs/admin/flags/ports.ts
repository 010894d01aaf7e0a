import type { TenantId } from '../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { FLAG_STATES, TargetingRule } from './domain/feature-flag.js';
import type { FeatureFlag } from './schema.js';

export type FlagStatus = (typeof FLAG_STATES)[number];

/** A flag as stored. `history` has its latest changes, oldest first; the ledger has all of them. */
export type FlagRecord = Stored<
  FeatureFlag,
  {
    /** `tenant_id/key`; a tenant_id has no slash. */
    flag_id: string;
    status: FlagStatus;
    targeting: readonly TargetingRule[];
  }
>;

/** One change of a flag: its author, time and changed members, without former values. */
type FlagChange = FlagRecord['history'][number];

/** The new members of a flag, the change that made them, and its effects. */
export interface FlagWrite {
  readonly record: Omit<FlagRecord, 'flag_id' | 'history'>;
  readonly change: FlagChange;
  readonly pending: readonly PendingEffect[];
}

/** Flags of one tenant. */
export interface TenantFlags {
  /** Returns archived flags too. */
  get(key: string): Promise<FlagRecord | null>;
  /** Returns a page of the flags that are not archived. */
  page(query: ListQuery<FlagRecord>): Promise<Page<FlagRecord>>;
  /** Returns at most `limit` flags by key, without archived ones. */
  all(limit: number): Promise<readonly FlagRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. @returns null if the flag has another revision by now; null is that of a new flag. */
  write(write: FlagWrite, revision: number | null): Promise<FlagRecord | null>;
}

export type FlagStore = (tenantId: TenantId) => TenantFlags;
