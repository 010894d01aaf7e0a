import type { RequestContext } from '../../../shared/auth/context.js';
import { isWithin, readingOf } from '../../../shared/auth/reading.js';
import { viewOfDocument } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { DocumentQuery, DocumentStore, StoredDocument } from './ports/document-store.js';

export interface ReadDocumentDeps {
  readonly documents: DocumentStore;
  readonly consent: ConsentGate;
}

/** Whether a reader gets the rendition in place of the original (api.md section 1 "documents:unredacted"). */
export const getsRendition = ({ principal }: RequestContext, { rendition }: StoredDocument): boolean =>
  rendition !== null && !principal.scopes.has('documents:unredacted');

/**
 * Documents of the tenant, without what consent withholds. A hash finds only what the reader may know the hash of.
 * @param purpose as the request states it.
 */
export async function listDocuments(
  deps: ReadDocumentDeps,
  context: RequestContext,
  asked: DocumentQuery,
  purpose: string | null,
): Promise<Page<StoredDocument> & { readonly withheld: Withheld | null }> {
  const reading = readingOf(context, 'documents:read', purpose);
  if (asked.member_ids !== undefined && !isWithin(reading, asked.member_ids)) {
    throw problem('FORBIDDEN', { message: 'This token opens the record of another member.' });
  }
  const query = reading.memberIds === null ? asked : { ...asked, member_ids: asked.member_ids ?? reading.memberIds };
  const rows = await deps.documents(reading.tenantId).list(query);
  const page = pageOf(rows, query.limit, ({ created_at, document_id }) => ({
    atMs: created_at.getTime(),
    id: document_id,
  }));
  const shown = (document: StoredDocument): boolean => query.sha256 === undefined || !getsRendition(context, document);
  const { tenantId, stated } = reading;
  const readable = page.items.filter(shown);
  const { kept, withheld } = await withoutWithheld(deps.consent, tenantId, stated, readable, viewOfDocument);
  return { items: kept, next_cursor: page.next_cursor, withheld };
}

/** A document of the tenant; null for what is not there, or not theirs. @throws FORBIDDEN where consent withholds it */
export async function getDocument(
  deps: ReadDocumentDeps,
  context: RequestContext,
  documentId: string,
  purpose: string | null = null,
): Promise<StoredDocument | null> {
  const reading = readingOf(context, 'documents:read', purpose);
  const found = isIdOf('document', documentId) ? await deps.documents(reading.tenantId).get(documentId) : null;
  if (found === null || !isWithin(reading, found.member_ids)) return null;
  await refuseWithheld(deps.consent, reading.tenantId, reading.stated, viewOfDocument(found));
  return found;
}

/** What the record says of the document, as a reader of the rendition, or of the original, is told it. */
export function namesOf(
  { filename, title, tags, rendition }: StoredDocument,
  redacted: boolean,
): Pick<StoredDocument, 'filename' | 'title' | 'tags'> {
  if (!redacted || rendition === null) return { filename, title, tags };
  return {
    filename: rendition.filename ?? filename,
    title: rendition.title === undefined ? title : rendition.title,
    tags: rendition.tags ?? tags,
  };
}
