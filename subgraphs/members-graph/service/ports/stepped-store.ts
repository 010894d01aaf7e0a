import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { MembersEffect } from './member-effects.js';

/** One line of a record's history. */
export interface StepLine<Status extends string = string, Action extends string = string> {
  readonly revision: number;
  readonly action: Action;
  readonly from: Status | null;
  readonly to: Status;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Of the request that took it: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A record about a member that moves by steps of a state table. */
export interface SteppedRecord<Status extends string = string, Action extends string = string> {
  readonly id: string;
  readonly tenant_id: TenantId;
  readonly member_id: string;
  readonly status: Status;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly history: readonly StepLine<Status, Action>[];
}

/** The record after a step, and what follows from it. */
export interface SteppedWrite<R extends SteppedRecord> {
  readonly record: R;
  readonly pending: readonly MembersEffect[];
}

/** `taken`: a unique key of the record is another's. */
export type Written = 'written' | 'taken';

/** Records of one kind, of one tenant. */
export interface TenantStepped<R extends SteppedRecord> {
  get(id: string): Promise<R | null>;
  /** `taken` for its identifier too. Durable when it resolves. */
  insert(write: SteppedWrite<R>): Promise<Written>;
  /** `moved` when it is no longer at this revision. */
  replace(write: SteppedWrite<R>, revision: number): Promise<Written | 'moved'>;
  /** Performs what a write has left behind. */
  relay(write: SteppedWrite<R>): Promise<void>;
}

/** What every list of such records is asked with; `member_ids` are one person's. */
export interface SteppedListQuery<Status extends string> extends ListWindow {
  readonly member_ids?: readonly string[] | undefined;
  readonly status?: Status | undefined;
}
