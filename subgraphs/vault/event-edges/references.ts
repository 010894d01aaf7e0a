import type { RequestContext } from '../../../shared/auth/context.js';
import { BatchedEdges } from '../../../shared/graph/batched-edges.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { listDocuments, type ReadDocumentDeps, shownDocument } from '../documents/index.js';
import type { Document } from '../documents/schema.js';

/**
 * Resolves references of other subgraphs to documents, those of one answer together, by the read of the list: null for an
 * unknown document, another tenant's, and one that a token does not cover.
 */
export function documentReferences(deps: ReadDocumentDeps) {
  const batch = new BatchedEdges<string, Document | null>(async (context, _, ids) => {
    const document_id = [...new Set(ids)].filter((id) => isIdOf('document', id));
    if (document_id.length === 0) return ids.map(() => null);
    const query = { limit: MAX_PAGE_LIMIT, order: 'desc' as const, where: { document_id } };
    const { items } = await listDocuments(deps, context, query, null);
    const byId = new Map(items.map((one) => [one.document_id, shownDocument(context, one)]));
    return ids.map((id) => byId.get(id) ?? null);
  });
  return ({ document_id }: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Document | null> =>
    batch.load(context, '', String(document_id));
}
