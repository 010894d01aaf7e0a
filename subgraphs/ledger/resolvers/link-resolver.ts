import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { EventLinkList } from '../schema/event-links.js';
import type { LinksOfEvent } from '../service/read-links.js';
import type { TenantContexts } from '../service/tenant-context.js';

export interface LinkResolverDeps {
  readonly contexts: TenantContexts;
  readonly linksOf: LinksOfEvent;
}

@Resolver()
export class LinkResolver {
  readonly #deps: LinkResolverDeps;

  constructor(deps: LinkResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => EventLinkList, { nullable: true, description: 'What an event is joined to by its numbers.' })
  async eventLinks(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
  ): Promise<EventLinkList | null> {
    const tenantId = authorise(context, 'events:read');
    const found = await this.#deps.linksOf(await this.#deps.contexts.of(tenantId), eventId);
    return found && { items: [...found.items], truncated: found.truncated };
  }
}
