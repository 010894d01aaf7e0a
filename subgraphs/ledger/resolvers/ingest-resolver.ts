import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { EventValidation, IngestBatchResult } from '../schema/ingest-result.js';
import { type IngestDeps, ingestEvents, validateEvent } from '../service/ingest-events.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import type { TenantContexts } from '../service/tenant-context.js';
import { withoutUntoldHashes } from '../service/untold-hashes.js';

export interface IngestResolverDeps extends IngestDeps, WorkDeps {
  readonly contexts: TenantContexts;
  readonly redactions: RedactionStore;
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
    const { ids } = forWork(this.#deps, context, 'ingest-events');
    const answer = await ingestEvents(this.#deps, tenant, { items, byteSizes: byteSizes ?? undefined, ids });
    if (answer.duplicated === 0 || context.principal.scopes.has('documents:unredacted')) return answer;
    return { ...answer, results: await withoutUntoldHashes(this.#deps.redactions(tenant.tenantId), answer.results) };
  }

  @Query(() => EventValidation, { description: 'Whether an envelope would be taken; writes nothing.' })
  validateEvent(
    @Ctx() context: RequestContext,
    @Arg('item', () => JsonScalar, { description: 'An envelope (EventEnvelope).' }) item: unknown,
  ): EventValidation {
    return validateEvent(this.#deps, authorise(context, 'events:write'), item);
  }
}
