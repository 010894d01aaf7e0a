import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import { problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import {
  Checkpoint,
  CheckpointFilter,
  CheckpointPage,
  ConsistencyArgs,
  ConsistencyProof,
  EventProof,
} from '../schema/checkpoint.js';
import type { CheckpointViews } from '../service/checkpoint-views.js';
import type { TenantContexts } from '../service/tenant-context.js';
import type { TreeKeeper } from '../service/tree-keeper.js';
import { type ProofDeps, proveConsistency, proveEvent } from '../service/tree-proofs.js';

export interface CheckpointResolverDeps extends ProofDeps {
  readonly contexts: TenantContexts;
  readonly keeper: TreeKeeper;
  readonly views: CheckpointViews;
}

/** What anyone may hold us to: signed checkpoints, and proofs that lead to them. */
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
    return this.#deps.views.list(this.#deps.trees(tenantId), withoutNulls(filter));
  }

  @Query(() => Checkpoint, { nullable: true, description: 'The latest signed checkpoint; null before the first.' })
  async latestCheckpoint(@Ctx() context: RequestContext): Promise<Checkpoint | null> {
    const tree = this.#deps.trees(authorise(context, 'events:read'));
    return this.#deps.views.ofMaybe(await tree.latestCheckpoint());
  }

  @Query(() => Checkpoint, { nullable: true, description: 'A signed checkpoint.' })
  async checkpoint(
    @Ctx() context: RequestContext,
    @Arg('checkpoint_id', () => String, { description: 'The checkpoint.' }) checkpointId: string,
  ): Promise<Checkpoint | null> {
    const tree = this.#deps.trees(authorise(context, 'events:read'));
    if (!isIdOf('checkpoint', checkpointId)) return null;
    return this.#deps.views.ofMaybe(await tree.checkpoint(checkpointId));
  }

  @Query(() => ConsistencyProof, {
    description: "Proof that the ledger's tree of one size begins with that of another.",
  })
  async ledgerConsistency(
    @Ctx() context: RequestContext,
    @Args(() => ConsistencyArgs) args: ConsistencyArgs,
  ): Promise<ConsistencyProof> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    const { first = 0, second } = withoutNulls(args);
    const proof = await proveConsistency(this.#deps, tenant, { first, ...(second === undefined ? {} : { second }) });
    const { views } = this.#deps;
    return {
      ...proof,
      first_checkpoint: await views.ofMaybe(proof.first_checkpoint),
      second_checkpoint: await views.ofMaybe(proof.second_checkpoint),
    };
  }

  @Query(() => EventProof, {
    nullable: true,
    description: "Proof that an event stands in the ledger's tree, up to the latest signed checkpoint.",
  })
  async eventProof(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
  ): Promise<EventProof | null> {
    const tenant = await this.#deps.contexts.of(authorise(context, 'events:read'));
    const proof = await proveEvent(this.#deps, tenant, eventId);
    return proof && { ...proof, checkpoint: await this.#deps.views.of(proof.checkpoint) };
  }

  /** The port `Checkpoints`, for the other parts of the service. */
  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Publishes a checkpoint that covers all there is (PublishedCheckpoint).' })
  async forceCheckpoint(@Ctx() context: RequestContext): Promise<PublishedCheckpoint> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const row = await this.#deps.keeper.force(tenantId);
    if (row === null) throw problem('CONFLICT', { message: 'The ledger of this tenant is empty.' });
    return this.#deps.views.of(row);
  }
}
