import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Effect, PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { MemberChange } from './member-store.js';

/** A change put into the history, which stands beside the record: records are read in searches, their history is not. */
export interface KeepChangeEffect extends Effect {
  readonly kind: 'keep-member-change';
  readonly tenant_id: TenantId;
  readonly change: MemberChange;
}

/** What the log of merges says of a member, written into its record; see service/members/show-merge.ts. */
export interface ShowMergeEffect extends Effect {
  readonly kind: 'show-merge';
  readonly tenant_id: TenantId;
  readonly member_id: string;
}

/** What a step of a data right leaves to be done; done by what the record says then: service/data-rights/do-work.ts. */
export interface DataRightEffect extends Effect {
  readonly kind: 'data-right';
  readonly tenant_id: TenantId;
  readonly data_right_id: string;
  /** OVERDUE: the exception follows the record. PROTECTION: deletions see that it is open. */
  readonly work: 'FULFILMENT' | 'OVERDUE' | 'PROTECTION';
}

/** Effects of this subgraph; another kind is its interface here or beside, and its performer in wiring/effects.ts. */
export type MembersEffect = PendingEffect | KeepChangeEffect | ShowMergeEffect | DataRightEffect;
