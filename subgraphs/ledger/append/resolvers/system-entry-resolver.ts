import { Arg, Ctx, Directive, Int, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { appendSystemEntries } from '../append-system-entries.js';
import type { IngestResolverDeps } from './ingest-resolver.js';

/** Serves the other parts of the service: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class SystemEntryResolver {
  readonly #deps: IngestResolverDeps;

  constructor(deps: IngestResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => Int, {
    description: "Appends the service's own entries to reserved partitions; returns the number of new entries.",
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
