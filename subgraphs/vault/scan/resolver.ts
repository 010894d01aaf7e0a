import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import type { ScanDocument } from '../documents/index.js';
import {
  documentFacts,
  documentQueryOf,
  listDocuments,
  type ReadDocumentDeps,
  shownDocument,
} from '../documents/index.js';
import { Document, QuarantineFilter, QuarantinePage, QuarantineReviewInput } from '../documents/schema.js';
import { type ReviewDeps, reviewDocument } from './review-quarantine.js';

const DOCUMENT_ID = { description: 'The document.' };

@Resolver()
export class QuarantineResolver {
  readonly #deps: ReviewDeps & ReadDocumentDeps;

  constructor(deps: ReviewDeps & ReadDocumentDeps) {
    this.#deps = deps;
  }

  @Query(() => QuarantinePage, { description: 'Lists the documents in quarantine.' })
  async quarantine(
    @Args(() => QuarantineFilter) filter: QuarantineFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Document>> {
    const { where, ...query } = documentQueryOf(filter);
    const quarantined = { ...query, where: { ...where, status: 'QUARANTINED' as const } };
    const page = await listDocuments(this.#deps, context, quarantined, null);
    return mapPage(page, (item) => shownDocument(context, item));
  }

  @Mutation(() => Document, { description: 'Releases a document from quarantine.' })
  async releaseDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('input', () => QuarantineReviewInput) input: QuarantineReviewInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await reviewDocument(this.#deps, context, id, 'release', input));
  }

  @Mutation(() => Document, { description: 'Rejects a quarantined document for good.' })
  async rejectDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('input', () => QuarantineReviewInput) input: QuarantineReviewInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await reviewDocument(this.#deps, context, id, 'reject', input));
  }
}

/** Serves other subgraphs: the public schema hides it, and its scope belongs to no API key. */
@Resolver()
export class EnsureScannedResolver {
  readonly #scanDocument: ScanDocument;

  constructor(scanDocument: ScanDocument) {
    this.#scanDocument = scanDocument;
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Scans a document now if it has not been scanned (DocumentFacts).' })
  async ensureDocumentScanned(
    @Ctx() context: RequestContext,
    @Arg('document_id', () => String, { description: 'The document.' }) documentId: string,
  ): Promise<DocumentFacts> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return documentFacts(await this.#scanDocument(tenantId, documentId));
  }
}
