import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { MergeEntry } from '../../domain/members/merges.js';
import type { MembersEffect } from './member-effects.js';

/** An entry of the log with what must follow from it. */
export interface MergeWrite {
  readonly entry: MergeEntry;
  readonly pending: readonly MembersEffect[];
}

/** Merges of one tenant: a log, one entry after the other, so that of two that would contradict each other one is refused. */
export interface TenantMerges {
  /** Number of the last entry; 0 for none. */
  last(): Promise<number>;
  /** Entries after the one of this number, oldest first. */
  after(number: number, limit: number): Promise<readonly MergeEntry[]>;
  /** Every entry that names one of these members, oldest first. */
  naming(memberIds: readonly string[]): Promise<readonly MergeEntry[]>;
  /** False when another entry has its number. Durable when it resolves. */
  append(write: MergeWrite): Promise<boolean>;
  /** Performs what a write has left behind. */
  relay(write: MergeWrite): Promise<void>;
}

export type MergeStore = (tenantId: TenantId) => TenantMerges;
