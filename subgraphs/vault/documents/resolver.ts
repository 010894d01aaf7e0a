import { Arg, Args, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { DocumentFactsFilter, DocumentFactsPage, FiledDocument } from '../../../shared/contracts/documents.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { WithheldPage } from '../../../shared/graph/withheld-page.js';
import { mapPage } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { TextStore } from '../search/index.js';
import { type AttachDeps, attachDocument, detachDocument } from './change-document.js';
import { DOCUMENT_MACHINE } from './domain.js';
import { fileDocument } from './file-document.js';
import type { DocumentQuery, StoredDocument } from './ports.js';
import {
  getDocument,
  getsRendition,
  listDocumentFacts,
  listDocuments,
  namesOf,
  type ReadDocumentDeps,
  readableContent,
} from './read-documents.js';
import {
  Document,
  DocumentArgs,
  DocumentContent,
  DocumentFilter,
  DocumentPage,
  DocumentUploadInput,
  type QuarantineFilter,
} from './schema.js';
import { type TakeDeps, takeDocument } from './take-document.js';

const DOCUMENT_ID = { description: 'The document.' };
const EVENT_ID = { description: 'The event.' };

export function documentQueryOf({ purpose: _, ...filter }: QuarantineFilter & Partial<DocumentFilter>): DocumentQuery {
  const { where, ...window } = listQueryOf(filter);
  const { member_id, event_id, tag, scan_status, ...equal } = where;
  return { ...window, scan_status, where: { ...equal, member_ids: member_id, event_ids: event_id, tags: tag } };
}

/** A member token sees only its own member, even in a document about several. */
const visibleMembers = ({ principal }: RequestContext, { member_ids }: StoredDocument): readonly string[] =>
  principal.member === undefined ? member_ids : member_ids.filter((id) => principal.member?.member_ids.includes(id));

/** Maps a document for this reader: hash and size are those of the content that the reader gets. */
export const shownDocument = (context: RequestContext, document: StoredDocument): Document =>
  shownFor({ ...document, context });

const shownFor = showing(
  Document,
  ({ context, ...document }: StoredDocument & { readonly context: RequestContext }) => {
    const { status, rendition } = document;
    const redacted = getsRendition(context, document);
    const { sha256, size, media_type } = (redacted ? rendition : null) ?? document;
    const { tags, ...names } = namesOf(document, redacted);
    const member_ids = [...visibleMembers(context, document)];
    return {
      ...names,
      tags: [...tags],
      sha256,
      size,
      media_type,
      member_ids,
      member_id: member_ids.length === 1 ? (member_ids[0] ?? null) : null,
      allowed_actions: allowedActions(DOCUMENT_MACHINE, status),
      redaction_id: rendition?.redaction_id ?? null,
      redacted,
    };
  },
);

interface DocumentResolverDeps extends TakeDeps, AttachDeps, ReadDocumentDeps {
  readonly texts: TextStore;
}

@Resolver()
export class DocumentResolver {
  readonly #deps: DocumentResolverDeps;

  constructor(deps: DocumentResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => DocumentPage, { description: 'Lists the documents of the tenant.' })
  async documents(
    @Args(() => DocumentFilter) filter: DocumentFilter,
    @Ctx() context: RequestContext,
  ): Promise<WithheldPage<Document>> {
    const page = await listDocuments(this.#deps, context, documentQueryOf(filter), filter.purpose ?? null);
    const { withheld, ...rest } = page;
    return { ...mapPage(rest, (item) => shownDocument(context, item)), ...(withheld === null ? {} : { withheld }) };
  }

  @Query(() => Document, { nullable: true, description: 'Returns a document without its bytes.' })
  async document(
    @Args(() => DocumentArgs) { document_id: id, purpose }: DocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<Document | null> {
    const found = await getDocument(this.#deps, context, id, purpose ?? null);
    if (found === null) return null;
    const shown = shownDocument(context, found);
    const { document_id, tenant_id } = found;
    const text = await this.#deps.texts(tenant_id).state({ tenant_id, document_id, sha256: shown.sha256 });
    return text === null ? shown : { ...shown, text };
  }

  @Query(() => DocumentContent, {
    nullable: true,
    description: 'Returns the location of the bytes that this reader gets.',
  })
  async documentContent(
    @Args(() => DocumentArgs) { document_id: id, purpose }: DocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<DocumentContent | null> {
    const found = await readableContent(this.#deps, context, id, purpose ?? null);
    if (found === null) return null;
    const { document, rendition } = found;
    const { sha256, size, media_type } = rendition ?? document;
    return {
      document_id: document.document_id,
      sha256,
      size,
      media_type,
      filename: namesOf(document, rendition !== null).filename,
      // The service makes renditions from content that was scanned or released.
      scan_status: rendition === null ? document.scan.status : 'CLEAN',
      ...(rendition === null ? {} : { redaction_id: rendition.redaction_id }),
      member_ids: [...document.member_ids],
      event_ids: [...document.event_ids],
    };
  }

  @Mutation(() => Document, { description: 'Creates a document from uploaded bytes.' })
  async takeDocument(
    @Arg('input', () => DocumentUploadInput) input: DocumentUploadInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    const members = DocumentUploadInput.complete(input);
    const effectiveMs = members.effective_at === null ? undefined : instantOf(members.effective_at);
    const effective_at = effectiveMs === undefined ? null : new Date(effectiveMs);
    const upload = { ...members, effective_at, ticket: input.ticket };
    return shownDocument(context, await takeDocument(this.#deps, context, upload));
  }

  @Mutation(() => Document, { description: 'Attaches a document to an event.' })
  async attachDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('event_id', () => String, EVENT_ID) eventId: string,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await attachDocument(this.#deps, context, id, eventId));
  }

  @Mutation(() => Document, { description: 'Detaches a document from an event.' })
  async detachDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('event_id', () => String, EVENT_ID) eventId: string,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await detachDocument(this.#deps, context, id, eventId));
  }
}

/** Serves other subgraphs: the public schema hides it, and its scope belongs to no API key. */
@Resolver()
export class DocumentFactsResolver {
  readonly #deps: TakeDeps;

  constructor(deps: TakeDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { description: 'Creates the document of an event, once for each event and content.' })
  async fileDocument(
    @Ctx() context: RequestContext,
    @Arg('document', () => JsonScalar, { description: 'The document (FiledDocument).' }) document: FiledDocument,
  ): Promise<string> {
    return fileDocument(this.#deps, authorise(context, INTERNAL_SCOPE), document);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Lists documents by their subjects (DocumentFactsPage).' })
  async documentFacts(
    @Ctx() context: RequestContext,
    @Arg('filter', () => JsonScalar, { description: 'Filter (DocumentFactsFilter).' }) filter: DocumentFactsFilter,
    @Arg('limit', () => Int, { description: 'Maximum number of items.' }) limit: number,
    @Arg('cursor', () => String, { nullable: true, description: 'Cursor of the previous page.' }) cursor?: string,
  ): Promise<DocumentFactsPage> {
    const documents = this.#deps.documents(authorise(context, INTERNAL_SCOPE));
    return listDocumentFacts(documents, filter, cursor ?? null, limit);
  }
}
