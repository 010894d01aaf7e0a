import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { BatchedEdges } from '../../../shared/graph/edges/batched-edges.js';
import { MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { listDocuments, type ReadDocumentDeps, type StoredDocument, shownDocument } from '../documents/index.js';
import type { Document } from '../documents/schema.js';
import { EventDocumentArgs, EventWithDocuments } from './schema.js';

const MAX_OF_EVENT = 50;

/** The documents of events: a page of events costs one list of documents. */
@Resolver(() => EventWithDocuments)
export class EventDocumentResolver {
  readonly #documents: BatchedEdges<string, readonly Document[]>;

  constructor(deps: ReadDocumentDeps) {
    this.#documents = new BatchedEdges((context, purpose, eventIds) => documentsOf(deps, context, purpose, eventIds));
  }

  @FieldResolver()
  documents(
    @Root() { event_id }: EventWithDocuments,
    @Args(() => EventDocumentArgs) { purpose }: EventDocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly Document[]> {
    return this.#documents.load(context, purpose ?? '', event_id);
  }
}

/** @param purpose empty for none */
async function documentsOf(
  deps: ReadDocumentDeps,
  context: RequestContext,
  purpose: string,
  eventIds: readonly string[],
): Promise<readonly (readonly Document[])[]> {
  const listed = (ids: readonly string[], limit: number) => {
    const query = { limit, order: 'desc' as const, where: { event_ids: [...ids] } };
    return listDocuments(deps, context, query, purpose === '' ? null : purpose);
  };
  const page = await listed(eventIds, MAX_PAGE_LIMIT);
  const shown = (documents: readonly StoredDocument[]): readonly Document[] =>
    documents.slice(0, MAX_OF_EVENT).map((document) => shownDocument(context, document));
  if (page.next_cursor === null) {
    return eventIds.map((id) => shown(page.items.filter(({ event_ids }) => event_ids.includes(id))));
  }
  // Some of these events have very many documents, so that a list of all is incomplete.
  const found: (readonly Document[])[] = [];
  for (const id of eventIds) found.push(shown((await listed([id], MAX_OF_EVENT)).items));
  return found;
}
