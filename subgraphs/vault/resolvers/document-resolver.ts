import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import type { WithheldPage } from '../../../shared/graph/withheld-page.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { Document, DocumentArgs, DocumentFilter, DocumentPage, type QuarantineFilter } from '../schema/document.js';
import { DocumentContent, DocumentUploadInput } from '../schema/document-upload.js';
import { type AttachDeps, attachDocument, detachDocument } from '../service/attach-document.js';
import type { DocumentQuery } from '../service/ports/document-store.js';
import type { TextStore } from '../service/ports/text-store.js';
import { readableContent } from '../service/read-content.js';
import { getDocument, listDocuments, namesOf, type ReadDocumentDeps } from '../service/read-documents.js';
import { type DocumentUpload, type TakeDeps, takeDocument } from '../service/take-document.js';
import { shownDocument } from './shown-document.js';

const DOCUMENT_ID = { description: 'The document.' };
const EVENT_ID = { description: 'The event.' };
const one = <T>(value: T | null | undefined): readonly T[] | undefined => (value == null ? undefined : [value]);
const instant = (text: string | null | undefined): number | undefined => (text == null ? undefined : instantOf(text));

export const documentQueryOf = (filter: QuarantineFilter & Partial<DocumentFilter>): DocumentQuery => ({
  limit: filter.limit ?? DEFAULT_PAGE_LIMIT,
  order: filter.order ?? 'desc',
  cursor: filter.cursor ?? undefined,
  fromMs: instant(filter.from),
  toMs: instant(filter.to),
  statuses: one(filter.status),
  scan_status: filter.scan_status ?? undefined,
  member_ids: one(filter.member_id),
  event_ids: one(filter.event_id),
  matter_id: filter.matter_id ?? undefined,
  document_type: filter.document_type ?? undefined,
  source_system: filter.source_system ?? undefined,
  media_type: filter.media_type ?? undefined,
  filename: filter.filename ?? undefined,
  sha256: filter.sha256 ?? undefined,
  tag: filter.tag ?? undefined,
});

function uploadOf(input: DocumentUploadInput): DocumentUpload {
  const effectiveMs = instant(input.effective_at);
  return {
    sha256: input.sha256,
    size: input.size,
    ticket: input.ticket,
    media_type: input.media_type,
    filename: input.filename,
    title: input.title ?? null,
    document_type: input.document_type ?? null,
    source_system: input.source_system ?? null,
    member_ids: input.member_ids ?? [],
    event_ids: input.event_ids ?? [],
    matter_id: input.matter_id ?? null,
    tags: input.tags ?? [],
    effective_at: effectiveMs === undefined ? null : new Date(effectiveMs),
  };
}

export interface DocumentResolverDeps extends TakeDeps, AttachDeps, ReadDocumentDeps {
  readonly texts: TextStore;
}

@Resolver()
export class DocumentResolver {
  readonly #deps: DocumentResolverDeps;

  constructor(deps: DocumentResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => DocumentPage, { description: 'Documents of the tenant.' })
  async documents(
    @Args(() => DocumentFilter) filter: DocumentFilter,
    @Ctx() context: RequestContext,
  ): Promise<WithheldPage<Document>> {
    const page = await listDocuments(this.#deps, context, documentQueryOf(filter), filter.purpose ?? null);
    const { items, next_cursor, withheld } = page;
    return {
      items: items.map((item) => shownDocument(context, item)),
      next_cursor,
      ...(withheld === null ? {} : { withheld }),
    };
  }

  @Query(() => Document, { nullable: true, description: 'A document, without its bytes.' })
  async document(
    @Args(() => DocumentArgs) { document_id: id, purpose }: DocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<Document | null> {
    const found = await getDocument(this.#deps, context, id, purpose ?? null);
    if (found === null) return null;
    const shown = shownDocument(context, found);
    const { document_id, tenant_id } = found;
    const text = await this.#deps.texts(tenant_id).standing({ tenant_id, document_id, sha256: shown.sha256 });
    return text === null ? shown : { ...shown, text };
  }

  @Query(() => DocumentContent, { nullable: true, description: 'Which stored bytes a reader of a document gets.' })
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
      // A rendition is made by the service, out of what has passed the scan or a reviewer.
      scan_status: rendition === null ? document.scan.status : 'CLEAN',
      ...(rendition === null ? {} : { redaction_id: rendition.redaction_id }),
      member_ids: [...document.member_ids],
      event_ids: [...document.event_ids],
    };
  }

  @Mutation(() => Document, { description: 'Makes a document of bytes that were uploaded.' })
  async takeDocument(
    @Arg('input', () => DocumentUploadInput) input: DocumentUploadInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await takeDocument(this.#deps, context, uploadOf(input)));
  }

  @Mutation(() => Document, { description: 'Attaches a document to an event.' })
  async attachDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('event_id', () => String, EVENT_ID) eventId: string,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await attachDocument(this.#deps, context, id, eventId));
  }

  @Mutation(() => Document, { description: 'Takes a document off an event.' })
  async detachDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('event_id', () => String, EVENT_ID) eventId: string,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await detachDocument(this.#deps, context, id, eventId));
  }
}
