import { isoTime } from '../../../shared/clock/clock.js';
import type { DocumentFacts, DocumentFactsFilter, DocumentFactsPage } from '../../../shared/contracts/documents.js';
import { MAX_PAGE_LIMIT, pageOf } from '../../../shared/pagination/cursor.js';
import type { StoredDocument, TenantDocuments } from './ports/document-store.js';

/** A document without its history, with times as text: what crosses to other subgraphs. */
export function documentFacts(document: StoredDocument): DocumentFacts {
  const { scan, effective_at, created_at, ...rest } = document;
  return {
    document_id: rest.document_id,
    sha256: rest.sha256,
    size: rest.size,
    media_type: rest.media_type,
    filename: rest.filename,
    title: rest.title,
    document_type: rest.document_type,
    source_system: rest.source_system,
    member_ids: rest.member_ids,
    event_ids: rest.event_ids,
    matter_id: rest.matter_id,
    tags: rest.tags,
    effective_at: effective_at === null ? null : isoTime(effective_at.getTime()),
    status: rest.status,
    scan: { status: scan.status, engine: scan.engine, findings: scan.findings },
    rendition: rest.rendition,
    created_at: isoTime(created_at.getTime()),
    created_by: rest.created_by,
    revision: rest.revision,
  };
}

/** Oldest first: who walks all of them meets what comes meanwhile at the end. */
export async function listDocumentFacts(
  documents: Pick<TenantDocuments, 'list'>,
  filter: DocumentFactsFilter,
  cursor: string | null,
  asked: number,
): Promise<DocumentFactsPage> {
  const limit = Math.min(Math.max(asked, 1), MAX_PAGE_LIMIT);
  const rows = await documents.list({
    limit,
    order: 'asc',
    cursor: cursor ?? undefined,
    fromMs: filter.fromMs,
    toMs: filter.toMs,
    document_ids: filter.documentIds,
    member_ids: filter.memberIds,
    event_ids: filter.eventIds,
    matter_id: filter.matterId,
  });
  const page = pageOf(rows, limit, ({ created_at, document_id }) => ({ atMs: created_at.getTime(), id: document_id }));
  return { items: page.items.map(documentFacts), next_cursor: page.next_cursor };
}
