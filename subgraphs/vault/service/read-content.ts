import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import type { DocumentRendition, StoredDocument } from './ports/document-store.js';
import { getDocument, getsRendition, type ReadDocumentDeps } from './read-documents.js';

export interface ReadableContent {
  readonly document: StoredDocument;
  /** Null: the original. */
  readonly rendition: DocumentRendition | null;
}

/** Which bytes a reader gets. @throws FORBIDDEN where consent withholds it, QUARANTINED, DOCUMENT_REJECTED, DISPOSED */
export async function readableContent(
  deps: ReadDocumentDeps,
  context: RequestContext,
  documentId: string,
  purpose: string | null,
): Promise<ReadableContent | null> {
  const document = await getDocument(deps, context, documentId, purpose);
  if (document === null) return null;
  if (document.status === 'QUARANTINED') throw problem('QUARANTINED');
  if (document.status === 'REJECTED') throw problem('DOCUMENT_REJECTED');
  if (document.status !== 'AVAILABLE') throw problem('DISPOSED');
  return { document, rendition: getsRendition(context, document) ? document.rendition : null };
}
