import type { RequestContext } from '../../../shared/auth/context.js';
import { isWithin, readingOf } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { viewOfDocument } from '../../../shared/consent/sensitivity.js';
import { refuseWithheld, type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { EventsForHolds, LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { DocumentFacts, DocumentFactsFilter, DocumentFactsPage } from '../../../shared/contracts/documents.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { MAX_PAGE_LIMIT, mapPage, type Page } from '../../../shared/pagination/cursor.js';
import type { DocumentQuery, DocumentRendition, DocumentStore, StoredDocument, TenantDocuments } from './ports.js';

export interface ReadDocumentDeps {
  readonly documents: DocumentStore;
  readonly consent: ConsentGate;
}

/** Checks whether a reader gets the rendition instead of the original (api.md section 1 "documents:unredacted"). */
export const getsRendition = ({ principal }: RequestContext, { rendition }: StoredDocument): boolean =>
  rendition !== null && !readsOriginals(principal);

/**
 * Lists documents without those that consent withholds. Filters compare what the reader sees: a hidden name, tag or hash
 * finds nothing, and leaves no gap in a page.
 *
 * @param purpose as stated in the request
 */
export async function listDocuments(
  deps: ReadDocumentDeps,
  context: RequestContext,
  asked: DocumentQuery,
  purpose: string | null,
): Promise<Page<StoredDocument> & { readonly withheld: Withheld | null }> {
  const reading = readingOf(context, 'documents:read', purpose);
  const { member_ids: named } = asked.where;
  if (named !== undefined && !isWithin(reading, [named].flat())) {
    throw problem('FORBIDDEN', { message: 'This token gives access to another member only.' });
  }
  const member_ids = named ?? reading.memberIds ?? undefined;
  const seesRenditions = !readsOriginals(context.principal);
  const query = { ...asked, seesRenditions, where: { ...asked.where, member_ids } };
  const page = await deps.documents(reading.tenantId).page(query);
  const { tenantId, stated } = reading;
  const { kept, withheld } = await withoutWithheld(deps.consent, tenantId, stated, page.items, viewOfDocument);
  return { items: kept, next_cursor: page.next_cursor, withheld };
}

/**
 * Returns a document, or null if it is unknown or belongs to another tenant or member.
 *
 * @throws FORBIDDEN if consent withholds it
 */
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

/** Shown as the file name of a disposed document: its own name may say what the file was about. */
const DISPOSED_NAME = 'disposed';

/** Returns the names of a document, as readers of the original or of the rendition see them. */
export function namesOf(
  { filename, title, tags, rendition, status }: StoredDocument,
  redacted: boolean,
): Pick<StoredDocument, 'filename' | 'title' | 'tags'> {
  if (status === 'DISPOSED') return { filename: DISPOSED_NAME, title: null, tags: [] };
  if (!redacted || rendition === null) return { filename, title, tags };
  return {
    filename: rendition.filename ?? filename,
    title: rendition.title === undefined ? title : rendition.title,
    tags: rendition.tags ?? tags,
  };
}

interface ReadableContent {
  readonly document: StoredDocument;
  /** Null for the original. */
  readonly rendition: DocumentRendition | null;
}

/**
 * Returns the content that a reader gets.
 *
 * @throws FORBIDDEN if consent withholds it, QUARANTINED, DOCUMENT_REJECTED, DISPOSED
 */
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

/** An event or a document, by its id. */
interface RecordSubject {
  readonly kind: 'EVENT' | 'DOCUMENT';
  readonly id: string;
}

/** Subjects by what facts say of them; one that is lost, damaged or unknown is in neither set. */
interface SubjectStates {
  readonly disposed: ReadonlySet<string>;
  readonly undisposed: ReadonlySet<string>;
}

/** Sorts subjects by their facts. A row that is missing or fails its check makes no subject disposed. */
export async function statesOfSubjects(
  deps: { readonly ledgerDisposal: LedgerDisposal; readonly documents: DocumentStore },
  tenantId: TenantId,
  subjects: readonly RecordSubject[],
): Promise<SubjectStates> {
  const idsOf = (kind: RecordSubject['kind']): string[] => [
    ...new Set(subjects.flatMap((subject) => (subject.kind === kind ? subject.id : []))),
  ];
  const eventIds = idsOf('EVENT');
  const events = eventIds.length === 0 ? NO_EVENTS : await deps.ledgerDisposal.facts(tenantId, eventIds);
  const { rows } = await deps.documents(tenantId).soundAmong(idsOf('DOCUMENT'));
  const disposed = rows.filter(({ status }) => status === 'DISPOSED');
  const others = rows.filter(({ status }) => status !== 'DISPOSED');
  return {
    disposed: new Set([...events.disposed, ...disposed.map(({ document_id }) => document_id)]),
    undisposed: new Set([
      ...events.candidates.map(({ event_id }) => event_id),
      ...others.map(({ document_id }) => document_id),
    ]),
  };
}

const NO_EVENTS: EventsForHolds = { candidates: [], disposed: [], damaged: [] };

/** Returns the facts of a document for other subgraphs: without its history, with times as text. */
export function documentFacts(document: StoredDocument): DocumentFacts {
  const {
    scan,
    effective_at,
    created_at,
    updated_at: _,
    tenant_id: __,
    review: ___,
    history: ____,
    fact: _____,
    rendition,
    ...rest
  } = document;
  return {
    ...rest,
    rendition: rendition === null ? null : { ...renditionFacts(rendition), filename: namesOf(document, true).filename },
    effective_at: effective_at === null ? null : isoTime(effective_at.getTime()),
    scan: { status: scan.status, engine: scan.engine, findings: scan.findings },
    created_at: isoTime(created_at.getTime()),
  };
}

const renditionFacts = ({ redaction_id, sha256, size, media_type }: DocumentRendition) => ({
  redaction_id,
  sha256,
  size,
  media_type,
});

/** Lists documents oldest first, so that a full walk meets new documents at its end. */
export async function listDocumentFacts(
  documents: Pick<TenantDocuments, 'page'>,
  { documentIds, memberIds, eventIds, matterId, fromMs, toMs }: DocumentFactsFilter,
  cursor: string | null,
  asked: number,
): Promise<DocumentFactsPage> {
  const page = await documents.page({
    limit: Math.min(Math.max(asked, 1), MAX_PAGE_LIMIT),
    order: 'asc',
    cursor: cursor ?? undefined,
    fromMs,
    toMs,
    where: { document_id: documentIds, member_ids: memberIds, event_ids: eventIds, matter_id: matterId },
  });
  return mapPage(page, documentFacts);
}
