import { Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { CheckpointViews } from '../transparency/index.js';
import { type ProveLogDeps, proveLog } from './prove-log.js';
import { OperatorProof } from './schema.js';

interface LogRootsResolverDeps extends ProveLogDeps {
  readonly views: CheckpointViews;
}

@Resolver()
export class LogRootsResolver {
  readonly #deps: LogRootsResolverDeps;

  constructor(deps: LogRootsResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => OperatorProof, {
    description: "Proof that the operator's log covers this ledger, as of the newest period.",
  })
  async operatorProof(@Ctx() context: RequestContext): Promise<OperatorProof> {
    const tenantId = authorise(context, 'events:read');
    const { views } = this.#deps;
    const { checkpoint, entry, ...proof } = await proveLog(this.#deps, tenantId);
    return {
      ...proof,
      checkpoint: await views.of(tenantId, checkpoint),
      entry: { ...entry, checkpoint: await views.of(OPERATOR_TENANT, entry.checkpoint) },
    };
  }
}
