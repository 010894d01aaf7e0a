import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { IntegrityState, LedgerCounts } from '../../../shared/contracts/ledger-counters.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { type CountDeps, countLedger } from '../service/count-events.js';
import type { TenantContexts } from '../service/tenant-context.js';

export interface CountResolverDeps extends CountDeps {
  readonly contexts: TenantContexts;
  readonly integrity: (tenantId: string) => Promise<IntegrityState>;
}

/** For the dashboard: in no API schema, and closed to every key by its scope. */
@Resolver()
export class CountResolver {
  readonly #deps: CountResolverDeps;

  constructor(deps: CountResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: "Counts the tenant's events, raw ingests and exceptions (LedgerCounts)." })
  async countLedger(
    @Ctx() context: RequestContext,
    @Arg('from_ms', () => SafeInteger, { nullable: true, description: 'From this time on.' }) fromMs?: number,
    @Arg('to_ms', () => SafeInteger, { nullable: true, description: 'Before this time.' }) toMs?: number,
  ): Promise<LedgerCounts> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    const window = { fromMs: fromMs ?? undefined, toMs: toMs ?? undefined };
    const integrity = await this.#deps.integrity(tenant.tenantId);
    return { ...(await countLedger(this.#deps, tenant, window)), integrity };
  }
}
