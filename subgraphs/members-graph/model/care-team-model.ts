import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type {
  CareTeamListQuery,
  CareTeamStore,
  StoredCareTeamEntry,
  TenantCareTeam,
} from '../service/ports/care-team-store.js';
import { MongoStepped } from './stepped-repository.js';

export const CARE_TEAM_COLLECTION = 'care_team_entries';

const ROW = { _id: { type: String, required: true }, tenant_id: { type: String, required: true } } as const;

/** Indexes are declared here; rows are read and written by the driver. */
export const careTeamSchema = new Schema(ROW, {
  collection: CARE_TEAM_COLLECTION,
  versionKey: false,
  autoIndex: false,
  strict: false,
});
careTeamSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
careTeamSchema.index({ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 });
// Of two who enter one place at once, one has seen fewer entries than there are: service/care-team/change-care-team.ts.
careTeamSchema.index({ tenant_id: 1, place: 1, place_number: 1 }, { unique: true });
careTeamSchema.index(...PENDING_INDEX);

class MongoCareTeam extends MongoStepped<StoredCareTeamEntry> implements TenantCareTeam {
  list({ practitioner, ...query }: CareTeamListQuery): Promise<readonly StoredCareTeamEntry[]> {
    const either = [{ npi: practitioner }, { actor: practitioner }];
    return this.page('created_at', query, practitioner === undefined ? [] : [{ $or: either }]);
  }

  beside(seat: string, place: string, memberIds: readonly string[]): Promise<readonly StoredCareTeamEntry[]> {
    return this.all({ $or: [{ seat, member_id: { $in: [...memberIds] } }, { place }] });
  }
}

export const careTeamStore =
  (db: Db, outbox: EffectRelay): CareTeamStore =>
  (tenantId) =>
    new MongoCareTeam(db, outbox, { collection: CARE_TEAM_COLLECTION, tenantId });
