import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { DocumentSearchArgs, DocumentSearchPage } from '../schema/document-search.js';
import { type DocumentSearchDeps, type DocumentSearchInput, searchDocuments } from '../service/search-documents.js';

/** Null for what may be absent counts as absent. */
const given = (input: DocumentSearchArgs): DocumentSearchInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)) as unknown as DocumentSearchInput;

@Resolver()
export class DocumentSearchResolver {
  readonly #deps: DocumentSearchDeps;

  constructor(deps: DocumentSearchDeps) {
    this.#deps = deps;
  }

  @Query(() => DocumentSearchPage, { description: 'Documents by the words of their text, best first.' })
  async searchDocuments(
    @Ctx() context: RequestContext,
    @Args(() => DocumentSearchArgs) input: DocumentSearchArgs,
  ): Promise<DocumentSearchPage> {
    return (await searchDocuments(this.#deps, context, given(input))) as DocumentSearchPage;
  }
}
