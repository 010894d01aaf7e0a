import type { ExtraRow } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { Period } from '../records/domain.js';
import type { CareTeamAction, CareTeamStatus } from './domain.js';
import type { CareTeamEntry } from './schema.js';

export type StoredCareTeamEntry = Stored<
  CareTeamEntry,
  ExtraRow & {
    period: Period;
    /** Carer and role, folded. */
    seat: string;
    /** Seat and survivor of the person at the time; entries of one place are numbered without gaps. */
    place: string;
    place_number: number;
    history: readonly StepLine<CareTeamStatus, CareTeamAction>[];
  }
>;

export interface TenantCareTeam extends Records<StoredCareTeamEntry> {
  /** @param practitioner NPI or actor */
  pageOf(practitioner: string | undefined, query: ListQuery<StoredCareTeamEntry>): Promise<Page<StoredCareTeamEntry>>;
  /** Returns every entry of a seat for these members, and every entry of a place. */
  entriesOf(seat: string, place: string, memberIds: readonly string[]): Promise<readonly StoredCareTeamEntry[]>;
}

export type CareTeamStore = (tenantId: TenantId) => TenantCareTeam;
