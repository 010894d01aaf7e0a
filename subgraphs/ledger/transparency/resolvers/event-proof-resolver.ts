import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import type { TenantContexts } from '../../append/index.js';
import { EventRecord } from '../../events/schema.js';
import type { CheckpointViews } from '../checkpoint-views.js';
import { EventProof } from '../schema.js';
import { type ProofDeps, type ProvableEntry, proveEntries } from '../tree-proofs.js';

interface EventProofDeps extends ProofDeps {
  readonly contexts: TenantContexts;
  readonly views: CheckpointViews;
}

/** The proofs of events in the tree: a page of events reads the checkpoint once. */
@Resolver(() => EventRecord)
export class EventProofResolver {
  readonly #proofs: BatchedEdges<ProvableEntry, EventProof | null>;

  constructor(deps: EventProofDeps) {
    this.#proofs = new BatchedEdges(async (context, _, entries) => {
      const tenantId = authorise(context, 'events:read');
      const proofs = await proveEntries(deps, await deps.contexts.of(tenantId), entries);
      return Promise.all(
        proofs.map(async (proof) => proof && { ...proof, checkpoint: await deps.views.of(tenantId, proof.checkpoint) }),
      );
    });
  }

  @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
  @FieldResolver(() => EventProof, {
    nullable: true,
    description: 'Proof of the event in the latest signed checkpoint; null for the seconds until one covers it.',
  })
  proof(
    @Root() { event_id, source_system, sequence, entry_hash }: EventRecord,
    @Ctx() context: RequestContext,
  ): Promise<EventProof | null> {
    return this.#proofs.load(context, '', { event_id, source_system, sequence, entry_hash });
  }
}
