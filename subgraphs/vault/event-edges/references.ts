import { referencesTo } from '../../../shared/graph/edges/references.js';
import { MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { listDocuments, type ReadDocumentDeps, shownDocument } from '../documents/index.js';

/** Resolves references to documents by the read of the list, which also judges what a token for one member covers. */
export const documentReferences = (deps: ReadDocumentDeps) =>
  referencesTo('document_id', 'document', async (context, ids) => {
    if (ids.length === 0) return [];
    const query = { limit: MAX_PAGE_LIMIT, order: 'desc' as const, where: { document_id: [...ids] } };
    const { items } = await listDocuments(deps, context, query, null);
    return items.map((one) => shownDocument(context, one));
  });
