import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type DocumentSubject, documentSubject, type HeldDocument } from '../domain/hold-subjects.js';

/** Documents as holds are compared with them, with what is known of the events that they are attached to. */
export async function documentSubjects<D extends HeldDocument>(
  deps: { readonly ledgerDisposal: LedgerDisposal },
  tenantId: TenantId,
  documents: readonly D[],
): Promise<readonly DocumentSubject<D>[]> {
  const eventIds = [...new Set(documents.flatMap(({ event_ids }) => event_ids))];
  const events = eventIds.length === 0 ? [] : await deps.ledgerDisposal.facts(tenantId, eventIds);
  const byId = new Map(events.map((event) => [event.event_id, event]));
  return documents.map((document) => documentSubject(document, byId));
}
