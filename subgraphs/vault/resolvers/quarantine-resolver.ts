import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { Document, QuarantineFilter, QuarantinePage } from '../schema/document.js';
import { QuarantineReviewInput } from '../schema/document-upload.js';
import { listDocuments, type ReadDocumentDeps } from '../service/read-documents.js';
import { type ReviewDeps, rejectDocument, releaseDocument } from '../service/review-quarantine.js';
import { documentQueryOf } from './document-resolver.js';
import { shownDocument } from './shown-document.js';

const DOCUMENT_ID = { description: 'The document.' };

export interface QuarantineResolverDeps extends ReviewDeps, ReadDocumentDeps {}

@Resolver()
export class QuarantineResolver {
  readonly #deps: QuarantineResolverDeps;

  constructor(deps: QuarantineResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => QuarantinePage, { description: 'Documents that wait for a review.' })
  async quarantine(
    @Args(() => QuarantineFilter) filter: QuarantineFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Document>> {
    const query = { ...documentQueryOf(filter), statuses: ['QUARANTINED' as const] };
    const page = await listDocuments(this.#deps, context, query, null);
    return { items: page.items.map((item) => shownDocument(context, item)), next_cursor: page.next_cursor };
  }

  @Mutation(() => Document, { description: 'Lets a document out of quarantine.' })
  async releaseDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('input', () => QuarantineReviewInput) input: QuarantineReviewInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await releaseDocument(this.#deps, context, id, input));
  }

  @Mutation(() => Document, { description: 'Keeps a document in quarantine for good.' })
  async rejectDocument(
    @Arg('document_id', () => String, DOCUMENT_ID) id: string,
    @Arg('input', () => QuarantineReviewInput) input: QuarantineReviewInput,
    @Ctx() context: RequestContext,
  ): Promise<Document> {
    return shownDocument(context, await rejectDocument(this.#deps, context, id, input));
  }
}
