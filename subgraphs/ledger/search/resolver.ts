import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { readingOf } from '../../../shared/auth/reading.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { TenantContexts } from '../append/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import { EventSearchArgs, EventSearchPage } from './schema.js';
import { type SearchDeps, searchEvents } from './search-events.js';

interface SearchResolverDeps extends SearchDeps, DamageDeps {
  readonly contexts: TenantContexts;
  readonly consent: ConsentGate;
}

@Resolver()
export class SearchResolver {
  readonly #deps: SearchResolverDeps;

  constructor(deps: SearchResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => EventSearchPage, { description: 'Events by words, best first; system partitions only by name.' })
  async searchEvents(
    @Ctx() context: RequestContext,
    @Args(() => EventSearchArgs) input: EventSearchArgs,
  ): Promise<EventSearchPage> {
    const { purpose, ...filters } = withoutNulls(input);
    const asked = { ...filters, query: input.query };
    const reading = readingOf(context, 'search:read', purpose);
    const { tenantId } = reading;
    const tenant = await this.#deps.contexts.of(tenantId);
    const reader = { consent: this.#deps.consent, reading };
    const find = () => searchEvents(this.#deps, reader, tenant, asked);
    return reportingDamage(this.#deps, readerOf(context, tenantId), find);
  }
}
