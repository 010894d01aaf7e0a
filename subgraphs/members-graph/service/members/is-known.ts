import type { Documents } from '../../../../shared/contracts/documents.js';
import type { EventReads } from '../../../../shared/contracts/event-reads.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { AppointmentStore } from '../ports/appointment-store.js';
import type { CareTeamStore } from '../ports/care-team-store.js';
import type { ConsentStore } from '../ports/consent-store.js';

export interface KnownDeps {
  readonly eventReads: EventReads;
  readonly documents: Documents;
  readonly consents: ConsentStore;
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
}

/** A member without a record: events, documents, consents, appointments or care teams may name one all the same. */
export async function isKnown(deps: KnownDeps, tenantId: TenantId, memberId: string): Promise<boolean> {
  const sight = { unredacted: false, before: null, limit: 1 };
  if ((await deps.eventReads.ofMember(tenantId, memberId, sight)).length > 0) return true;
  if ((await deps.documents.list(tenantId, { memberIds: [memberId] }, null, 1)).items.length > 0) return true;
  const first = { limit: 1, order: 'asc' } as const;
  if ((await deps.consents(tenantId).list({ ...first, member_id: memberId })).length > 0) return true;
  if ((await deps.appointments(tenantId).list({ ...first, member_ids: [memberId] })).length > 0) return true;
  return (await deps.careTeam(tenantId).list({ ...first, member_ids: [memberId] })).length > 0;
}
