import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type DocumentSubject, documentSubject, type HeldDocument } from '../domain/hold-subjects.js';
import type { RedactionSubject } from '../domain/redaction.js';
import type { DocumentStore } from './ports/document-store.js';

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

/** Ids of those that are not disposed of. */
export async function standingSubjects(
  deps: { readonly ledgerDisposal: LedgerDisposal; readonly documents: DocumentStore },
  tenantId: TenantId,
  subjects: readonly RedactionSubject[],
): Promise<ReadonlySet<string>> {
  const idsOf = (kind: RedactionSubject['kind']): string[] => [
    ...new Set(subjects.flatMap((subject) => (subject.kind === kind ? subject.id : []))),
  ];
  const [eventIds, document_ids] = [idsOf('EVENT'), idsOf('DOCUMENT')];
  const events = eventIds.length === 0 ? [] : await deps.ledgerDisposal.facts(tenantId, eventIds);
  const documents =
    document_ids.length === 0
      ? []
      : await deps.documents(tenantId).list({ document_ids, limit: document_ids.length, order: 'asc' });
  const standing = documents.filter(({ status }) => status !== 'DISPOSED');
  return new Set([...events.map(({ event_id }) => event_id), ...standing.map(({ document_id }) => document_id)]);
}
