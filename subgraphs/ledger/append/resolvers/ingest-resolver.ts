import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { readsOriginals } from '../../../../shared/disclosure/originals.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import type { RedactionStore } from '../../redactions/index.js';
import { type IngestDeps, ingestEvents, validateEvent } from '../ingest-envelopes.js';
import { EventValidation, IngestBatchResult } from '../schema/ingest-result.js';
import type { TenantContexts } from '../tenant-context.js';
import { visibleRows } from '../visible-rows.js';

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
    // Keyed work that runs again finds its own events as accepted; they may be hidden by now.
    const isNew = answer.duplicated === 0 && context.workId === null;
    if (isNew) return answer;
    const redactions = this.#deps.redactions(tenant.tenantId);
    return { ...answer, results: await visibleRows(redactions, answer.results, readsOriginals(context.principal)) };
  }

  @Query(() => EventValidation, { description: 'Checks whether an envelope would be accepted; writes nothing.' })
  validateEvent(
    @Ctx() context: RequestContext,
    @Arg('item', () => JsonScalar, { description: 'An envelope (EventEnvelope).' }) item: unknown,
  ): EventValidation {
    return validateEvent(this.#deps, authorise(context, 'events:write'), item);
  }
}
