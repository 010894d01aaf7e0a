import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DocumentSearchArgs, DocumentSearchPage } from './schema.js';
import { type DocumentSearchDeps, searchDocuments } from './search-documents.js';

@Resolver()
export class DocumentSearchResolver {
  readonly #deps: DocumentSearchDeps;

  constructor(deps: DocumentSearchDeps) {
    this.#deps = deps;
  }

  @Query(() => DocumentSearchPage, { description: 'Searches documents by text, best first.' })
  async searchDocuments(
    @Ctx() context: RequestContext,
    @Args(() => DocumentSearchArgs) { query, ...input }: DocumentSearchArgs,
  ): Promise<DocumentSearchPage> {
    return searchDocuments(this.#deps, context, { ...withoutNulls(input), query });
  }
}
