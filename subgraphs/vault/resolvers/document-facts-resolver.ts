import { Arg, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { DocumentFacts, DocumentFactsFilter, DocumentFactsPage } from '../../../shared/contracts/documents.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { documentFacts, listDocumentFacts } from '../service/document-facts.js';
import type { ReadDocumentDeps } from '../service/read-documents.js';
import type { ScanDocument } from '../service/scan-document.js';

export interface DocumentFactsDeps extends Pick<ReadDocumentDeps, 'documents'> {
  readonly scanDocument: ScanDocument;
}

/** For other subgraphs: in no API schema, and closed to every key by its scope. */
@Resolver()
export class DocumentFactsResolver {
  readonly #deps: DocumentFactsDeps;

  constructor(deps: DocumentFactsDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Documents by what they are about (DocumentFactsPage).' })
  async documentFacts(
    @Ctx() context: RequestContext,
    @Arg('filter', () => JsonScalar, { description: 'Which (DocumentFactsFilter).' }) filter: unknown,
    @Arg('limit', () => Int, { description: 'Most items.' }) limit: number,
    @Arg('cursor', () => String, { nullable: true, description: 'Of the page before.' }) cursor?: string,
  ): Promise<DocumentFactsPage> {
    const documents = this.#deps.documents(authorise(context, INTERNAL_SCOPE));
    return listDocumentFacts(documents, filter as DocumentFactsFilter, cursor ?? null, limit);
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Scans a document now if no scan has yet (DocumentFacts).' })
  async ensureDocumentScanned(
    @Ctx() context: RequestContext,
    @Arg('document_id', () => String, { description: 'The document.' }) documentId: string,
  ): Promise<DocumentFacts> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return documentFacts(await this.#deps.scanDocument(tenantId, documentId));
  }
}
