import type { TenantId } from '../ids/tenant.js';
import type { CustodyAction, CustodyActor, CustodySubject } from './custody.js';

/** An entry of custody as those read it who account for it. */
export interface CustodyFact {
  readonly custody_id: string;
  readonly action: CustodyAction;
  readonly at: string;
  readonly subject: CustodySubject;
  /** Further subjects that are listed, or how many there were. */
  readonly subjects?: readonly CustodySubject[];
  readonly subject_count?: number;
  readonly actor: CustodyActor;
  readonly purpose?: string;
  readonly recipient?: string;
  /** Its place in the chain of custody. */
  readonly seq: number;
  readonly entry_hash: string;
  /** Cursor of what comes behind it. */
  readonly place: string;
}

export interface MemberCustodyAsked {
  /** Entries that name one of these, as their subject or among their members. */
  readonly member_ids: readonly string[];
  readonly actions: readonly CustodyAction[];
  /** By when it was done: from ≤ t < to. */
  readonly from_ms: number;
  readonly to_ms: number;
  readonly cursor: string | null;
  /** 1 to 500. */
  readonly limit: number;
}

export interface CustodyFactsPage {
  readonly items: readonly CustodyFact[];
  readonly next_cursor: string | null;
}

/** The chain of custody for those who account for it. */
export interface CustodyReads {
  /** Oldest first. @throws INTEGRITY_FAILURE, VALIDATION_ERROR for a cursor that is none */
  ofMembers(tenantId: TenantId, asked: MemberCustodyAsked): Promise<CustodyFactsPage>;
}
