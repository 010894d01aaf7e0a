import type { ErasureState } from '../../../../shared/contracts/erasures.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { DataRight, DataRightAction, DataRightStatus, Relationship } from '../../domain/data-rights/data-right.js';
import type { SteppedListQuery, SteppedRecord, TenantStepped } from './stepped-store.js';

export interface Requester {
  readonly name: string | null;
  readonly relationship: Relationship;
}

export interface Verification {
  readonly verified_by: string;
  readonly how: string;
  readonly at: Date;
}

/** A list of disclosures as it was given: read again with these, it is the same. */
export interface AccountingAnswer {
  /** The person's identifiers, then. */
  readonly member_ids: readonly string[];
  /** Nothing that was recorded behind this place; null where there was nothing at all. */
  readonly last_seq: number | null;
  readonly count: number;
  readonly sha256: string;
}

/** What has been done for a request; members by right. */
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
    /** Null before it is fulfilled. */
    readonly answer: AccountingAnswer | null;
  };
  readonly erasure?: ErasureState;
}

/** What a member asks about their data, as stored. */
export interface StoredDataRight extends SteppedRecord<DataRightStatus, DataRightAction> {
  readonly right: DataRight;
  readonly requester: Requester;
  readonly received_at: Date;
  readonly due_at: Date;
  readonly extended_to: Date | null;
  readonly extension_reason: string | null;
  /** `extended_to`, or else `due_at`. */
  readonly deadline: Date;
  readonly verification: Verification | null;
  readonly denial_ground: string | null;
  readonly details: string | null;
  readonly fulfilment: Fulfilment | null;
  /** The exception that it is past its day has been opened. */
  readonly is_overdue_told: boolean;
  /** When what has become free is looked for again; null where nothing is. */
  readonly next_look_at: Date | null;
}

export interface DataRightListQuery extends SteppedListQuery<DataRightStatus> {
  readonly right?: DataRight | undefined;
  readonly overdue?: boolean | undefined;
  /** What `overdue` is judged by. */
  readonly nowMs: number;
}

export interface TenantDataRights extends TenantStepped<StoredDataRight> {
  /** Up to `limit + 1` in the order in which they were noted. */
  list(query: DataRightListQuery): Promise<readonly StoredDataRight[]>;
  /** Whose requests of these rights are open, as they were written. */
  membersAsking(rights: readonly DataRight[]): Promise<readonly string[]>;
  /** No step: the record stays at its revision. */
  lookAgainAt(id: string, at: Date | null): Promise<void>;
}

export type DataRightStore = (tenantId: TenantId) => TenantDataRights;

export interface DueDataRight {
  readonly tenant_id: TenantId;
  readonly id: string;
}

/** For the clock, over all tenants. */
export interface DueDataRights {
  /** Open past their day, and nobody told. */
  overdue(now: Date): Promise<readonly DueDataRight[]>;
  /** To be looked at again by now. */
  toLookAt(now: Date): Promise<readonly DueDataRight[]>;
}
