import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { EventEdges } from '../../../shared/contracts/event-edges.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { edgesOfEvents } from '../service/edges-of-events.js';
import type { LinkStore } from '../service/ports/link-store.js';

/** For the graph: in no API schema, and closed to every key by its scope. */
@Resolver()
export class EventEdgesResolver {
  readonly #links: LinkStore;

  constructor(links: LinkStore) {
    this.#links = links;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Edges between events (EventEdges).' })
  async eventEdges(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<EventEdges> {
    return edgesOfEvents(this.#links.forTenant(authorise(context, INTERNAL_SCOPE)), eventIds);
  }
}
