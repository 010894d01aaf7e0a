import { Arg, Ctx, Directive, Int, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { appendSystemEntries } from '../service/append-system-entries.js';
import type { IngestResolverDeps } from './ingest-resolver.js';

/** For the other parts of the service: in no API schema, and closed to every key by its scope. */
@Resolver()
export class SystemEntryResolver {
  readonly #deps: IngestResolverDeps;

  constructor(deps: IngestResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Int, {
    description: "Appends the service's own entries to reserved partitions; tells how many were new.",
  })
  async appendSystemEntries(
    @Ctx() context: RequestContext,
    @Arg('items', () => [JsonScalar], { description: 'Envelopes (EventEnvelope) of reserved source systems.' })
    items: unknown[],
  ): Promise<number> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return appendSystemEntries(this.#deps, tenant, items);
  }
}
