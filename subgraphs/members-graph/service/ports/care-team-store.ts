import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Carer, CareTeamAction, CareTeamStatus, Period } from '../../domain/care-team/care-team-entry.js';
import type { SteppedListQuery, SteppedRecord, TenantStepped } from './stepped-store.js';

/** One carer of a member, as stored. */
export interface StoredCareTeamEntry extends SteppedRecord<CareTeamStatus, CareTeamAction>, Carer {
  readonly role: string;
  readonly period: Period;
  readonly note: string | null;
  readonly ended_reason: string | null;
  /** Carer and role, folded. */
  readonly seat: string;
  /** The seat beside the person, by the identifier that stood for them then; entries of one place are numbered without gaps. */
  readonly place: string;
  readonly place_number: number;
}

export interface CareTeamListQuery extends SteppedListQuery<CareTeamStatus> {
  /** NPI or actor. */
  readonly practitioner?: string | undefined;
}

export interface TenantCareTeam extends TenantStepped<StoredCareTeamEntry> {
  /** Up to `limit + 1` in the order in which they were noted. */
  list(query: CareTeamListQuery): Promise<readonly StoredCareTeamEntry[]>;
  /** Every entry of a seat beside these members, and every one that has been numbered in a place. */
  beside(seat: string, place: string, memberIds: readonly string[]): Promise<readonly StoredCareTeamEntry[]>;
}

export type CareTeamStore = (tenantId: TenantId) => TenantCareTeam;
