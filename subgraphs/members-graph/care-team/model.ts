import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { CareTeamStore, StoredCareTeamEntry, TenantCareTeam } from './ports.js';
import { CARE_TEAM_ROW } from './schema.js';

export const CARE_TEAM_ENTRIES = declareCollection(
  'care_team_entries',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 }],
  // Of two concurrent inserts into one place, one fails and reads again (change-care-team.ts).
  [{ tenant_id: 1, place: 1, place_number: 1 }, { unique: true }],
  PENDING_INDEX,
);

class CareTeamRecords extends RecordStore<StoredCareTeamEntry> implements TenantCareTeam {
  pageOf(practitioner: string | undefined, query: ListQuery<StoredCareTeamEntry>): Promise<Page<StoredCareTeamEntry>> {
    const either = [{ npi: practitioner }, { actor: practitioner }];
    return this.pageWhere(query, practitioner === undefined ? [] : [{ $or: either }]);
  }

  async entriesOf(seat: string, place: string, memberIds: readonly string[]): Promise<readonly StoredCareTeamEntry[]> {
    const either = [{ seat, member_id: { $in: [...memberIds] } }, { place }];
    const found = await this.documents.find({ tenant_id: this.tenantId, $or: either }).toArray();
    return found.map((row) => this.rowOf(row));
  }
}

const OPTIONS = { collection: CARE_TEAM_ENTRIES, id: 'care_team_id', check: CARE_TEAM_ROW } as const;

export const careTeamStore =
  (deps: RecordStoreDeps): CareTeamStore =>
  (tenantId) =>
    new CareTeamRecords(deps, OPTIONS, tenantId);
