import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { IntegrityState, LedgerCounts } from '../../../shared/contracts/ledger-counters.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { TenantContexts } from '../append/index.js';
import { type CountDeps, countLedger } from './count-events.js';

interface CountResolverDeps extends CountDeps {
  readonly contexts: TenantContexts;
  readonly integrity: (tenantId: string) => Promise<IntegrityState>;
}

/** Serves the dashboard: its fields are in no API schema, and their scope rejects every API key. */
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
