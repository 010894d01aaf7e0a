import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { EventEdges } from '../../../shared/contracts/event-reads.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { TenantContexts } from '../append/index.js';
import type { LinkStore } from './ports.js';
import { edgesOfEvents, linksOfEvent } from './read-links.js';
import { EventLinkList } from './schema.js';

interface LinkResolverDeps {
  readonly contexts: TenantContexts;
  readonly links: LinkStore;
}

@Resolver()
export class LinkResolver {
  readonly #deps: LinkResolverDeps;

  constructor(deps: LinkResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => EventLinkList, { nullable: true, description: 'Returns the events that share a number with an event.' })
  async eventLinks(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
  ): Promise<EventLinkList | null> {
    const tenantId = authorise(context, 'events:read');
    return linksOfEvent(this.#deps.links)(await this.#deps.contexts.of(tenantId), eventId);
  }

  /** For the graph only: no API schema contains it, and its scope excludes every key. */
  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Edges between events (EventEdges).' })
  async eventEdges(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<EventEdges> {
    return edgesOfEvents(this.#deps.links.forTenant(authorise(context, INTERNAL_SCOPE)), eventIds);
  }
}
