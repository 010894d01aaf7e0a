import type { ErasureState } from '../../../shared/contracts/erasures.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Effect, PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { DataRight, DataRightAction, DataRightStatus } from './domain.js';
import type { DataRight as ShownDataRight } from './schema/index.js';

/** A list of disclosures as returned; reading it again with these values returns the same list. */
export interface AccountingAnswer {
  /** Identifiers of the person at the time. */
  readonly member_ids: readonly string[];
  /** Last included position in the chain of custody; null for an empty list. */
  readonly last_seq: number | null;
  readonly count: number;
  readonly sha256: string;
}

/** The work done for a request; one member a right. */
export interface Fulfilment {
  readonly access?: { readonly bundle_id: string };
  readonly amendment?: {
    readonly event_ids?: readonly string[];
    readonly correction_event_ids?: readonly string[];
    readonly statement_of_disagreement_event_id?: string;
  };
  readonly restriction?: {
    readonly consent_id: string;
    readonly purpose: string;
    readonly categories: readonly string[];
    readonly actors: readonly string[];
  };
  readonly accounting?: {
    readonly from: Date;
    readonly to: Date;
    /** Null until fulfilled. */
    readonly answer: AccountingAnswer | null;
  };
  readonly erasure?: ErasureState;
}

export type StoredDataRight = Stored<
  ShownDataRight,
  {
    extended_to: Date | null;
    /** `extended_to`, otherwise `due_at`. */
    deadline: Date;
    fulfilment: Fulfilment | null;
    /** True while an exception for the missed deadline is open. */
    is_overdue_told: boolean;
    /** Time of the next attempt to erase; null for none. */
    next_look_at: Date | null;
    history: readonly StepLine<DataRightStatus, DataRightAction>[];
  },
  'overdue'
>;

/** Work that follows a step of a data right; it reads the current record (do-work.ts). */
export interface DataRightEffect extends Effect {
  readonly kind: 'data-right';
  readonly tenant_id: TenantId;
  readonly data_right_id: string;
  /** OVERDUE opens or resolves the exception. PROTECTION stops deletions that started before the request. */
  readonly work: 'FULFILMENT' | 'OVERDUE' | 'PROTECTION';
}

export interface TenantDataRights extends Records<StoredDataRight, DataRightEffect | PendingEffect> {
  /** @param overdue true for open requests past their deadline, false for all others */
  pageOf(
    overdue: { readonly wanted: boolean; readonly now: Date } | null,
    query: ListQuery<StoredDataRight>,
  ): Promise<Page<StoredDataRight>>;
  /** Returns the members with open requests of these rights, as the requests name them. */
  membersAsking(rights: readonly DataRight[]): Promise<readonly string[]>;
  /** Sets `next_look_at`; the revision stays. */
  scheduleCheck(id: string, at: Date | null): Promise<void>;
}

export type DataRightStore = (tenantId: TenantId) => TenantDataRights;

export interface DueDataRight {
  readonly tenant_id: TenantId;
  readonly id: string;
}

/** Requests of all tenants that need work now. */
export interface DueDataRights {
  /** Open requests past their deadline without an exception. */
  overdue(now: Date): Promise<readonly DueDataRight[]>;
  /** Erasures to continue. */
  toContinue(now: Date): Promise<readonly DueDataRight[]>;
}
