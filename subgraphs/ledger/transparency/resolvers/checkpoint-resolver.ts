import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import type { PublishedCheckpoint } from '../../../../shared/contracts/checkpoints.js';
import { problem } from '../../../../shared/errors/problem.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../../shared/graph/without-nulls.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import type { TenantContexts } from '../../append/index.js';
import type { CheckpointViews } from '../checkpoint-views.js';
import {
  Checkpoint,
  CheckpointFilter,
  CheckpointPage,
  ConsistencyArgs,
  ConsistencyProof,
  EventProof,
} from '../schema.js';
import type { TreeKeeper } from '../tree-keeper.js';
import { type ProofDeps, proveConsistency, proveEvent } from '../tree-proofs.js';

interface CheckpointResolverDeps extends ProofDeps {
  readonly contexts: TenantContexts;
  readonly keeper: TreeKeeper;
  readonly views: CheckpointViews;
}

/** Public commitments: signed checkpoints, and proofs that lead to them. */
@Resolver()
export class CheckpointResolver {
  readonly #deps: CheckpointResolverDeps;

  constructor(deps: CheckpointResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => CheckpointPage, { description: 'Signed checkpoints of the ledger, newest first.' })
  async checkpoints(
    @Ctx() context: RequestContext,
    @Args(() => CheckpointFilter) filter: CheckpointFilter,
  ): Promise<Page<Checkpoint>> {
    const tenantId = authorise(context, 'events:read');
    return this.#deps.views.list(tenantId, this.#deps.trees(tenantId), withoutNulls(filter));
  }

  @Query(() => Checkpoint, { nullable: true, description: 'The latest signed checkpoint; null before the first.' })
  async latestCheckpoint(@Ctx() context: RequestContext): Promise<Checkpoint | null> {
    const tenantId = authorise(context, 'events:read');
    return this.#deps.views.ofMaybe(tenantId, await this.#deps.trees(tenantId).latestCheckpoint());
  }

  @Query(() => Checkpoint, { nullable: true, description: 'A signed checkpoint.' })
  async checkpoint(
    @Ctx() context: RequestContext,
    @Arg('checkpoint_id', () => String, { description: 'The checkpoint.' }) checkpointId: string,
  ): Promise<Checkpoint | null> {
    const tenantId = authorise(context, 'events:read');
    if (!isIdOf('checkpoint', checkpointId)) return null;
    return this.#deps.views.ofMaybe(tenantId, await this.#deps.trees(tenantId).checkpoint(checkpointId));
  }

  @Query(() => ConsistencyProof, {
    description: "Proof that the ledger's tree of one size begins with that of another.",
  })
  async ledgerConsistency(
    @Ctx() context: RequestContext,
    @Args(() => ConsistencyArgs) args: ConsistencyArgs,
  ): Promise<ConsistencyProof> {
    const tenantId = authorise(context, 'events:read');
    const tenant = await this.#deps.contexts.of(tenantId);
    const { first = 0, second } = withoutNulls(args);
    const proof = await proveConsistency(this.#deps, tenant, { first, ...(second === undefined ? {} : { second }) });
    const { views } = this.#deps;
    return {
      ...proof,
      first_checkpoint: await views.ofMaybe(tenantId, proof.first_checkpoint),
      second_checkpoint: await views.ofMaybe(tenantId, proof.second_checkpoint),
    };
  }

  @Query(() => EventProof, {
    nullable: true,
    description: "Proof that the ledger's tree contains an event, up to the latest signed checkpoint.",
  })
  async eventProof(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
  ): Promise<EventProof | null> {
    const tenantId = authorise(context, 'events:read');
    const tenant = await this.#deps.contexts.of(tenantId);
    const proof = await proveEvent(this.#deps, tenant, eventId);
    return proof && { ...proof, checkpoint: await this.#deps.views.of(tenantId, proof.checkpoint) };
  }

  /** The port `Checkpoints`, for the other parts of the service. */
  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Publishes a checkpoint that covers every entry (PublishedCheckpoint).' })
  async forceCheckpoint(@Ctx() context: RequestContext): Promise<PublishedCheckpoint> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const row = await this.#deps.keeper.force(tenantId);
    if (row === null) throw problem('CONFLICT', { message: 'The ledger of this tenant is empty.' });
    return this.#deps.views.of(tenantId, row);
  }
}
