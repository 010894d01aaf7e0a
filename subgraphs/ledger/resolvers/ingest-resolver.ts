import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { EventValidation, IngestBatchResult } from '../schema/ingest-result.js';
import { type IngestDeps, ingestEvents, validateEvent } from '../service/ingest-events.js';
import type { TenantContexts } from '../service/tenant-context.js';

export interface IngestResolverDeps extends IngestDeps {
  readonly contexts: TenantContexts;
}

@Resolver()
export class IngestResolver {
  readonly #deps: IngestResolverDeps;

  constructor(deps: IngestResolverDeps) {
    this.#deps = deps;
  }

  @Mutation(() => IngestBatchResult, { description: 'Appends event envelopes to the ledger, one result each.' })
  async ingestEvents(
    @Ctx() context: RequestContext,
    @Arg('items', () => [JsonScalar], { nullable: 'items', description: 'Envelopes (EventEnvelope).' })
    items: unknown[],
    @Arg('byte_sizes', () => [Int], { nullable: true, description: 'Size of each envelope as sent.' })
    byteSizes?: number[],
  ): Promise<IngestBatchResult> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:write'));
    return ingestEvents(this.#deps, tenant, { items, byteSizes: byteSizes ?? undefined });
  }

  @Query(() => EventValidation, { description: 'Whether an envelope would be taken; writes nothing.' })
  validateEvent(
    @Ctx() context: RequestContext,
    @Arg('item', () => JsonScalar, { description: 'An envelope (EventEnvelope).' }) item: unknown,
  ): EventValidation {
    return validateEvent(this.#deps, authorise(context, 'events:write'), item);
  }
}
