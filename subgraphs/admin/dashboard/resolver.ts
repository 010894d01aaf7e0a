import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, isOperator, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { LedgerCounters, LedgerCounts, NamedCount } from '../../../shared/contracts/ledger-counters.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { AreaCounts } from './ports.js';
import { Dashboard, DashboardWindow } from './schema.js';

interface DashboardDeps {
  readonly ledgerCounters: LedgerCounters;
  readonly areas: AreaCounts;
  readonly clock: Clock;
}

interface StatusCounts {
  readonly total: number;
  readonly by_status: readonly NamedCount[];
}

interface DashboardCounts extends LedgerCounts {
  readonly tenant_id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly generated_at: string;
  readonly api_keys: StatusCounts;
  readonly actors: StatusCounts;
  readonly feature_flags: StatusCounts;
  readonly leads: StatusCounts & { readonly by_type: readonly NamedCount[] };
  /** Tenants of the platform; only for operators. */
  readonly tenants: StatusCounts | null;
}

const withTotal = (by_status: readonly NamedCount[]): StatusCounts => ({
  total: by_status.reduce((sum, { count }) => sum + count, 0),
  by_status,
});

/**
 * Counts the records of one tenant. The window applies to the effective time of events and to the creation of raw ingests,
 * exceptions and leads. Keys, actors, flags and tenants are counted as of now.
 *
 * @throws VALIDATION_ERROR for an empty window
 */
async function readDashboard(
  deps: DashboardDeps,
  context: RequestContext,
  window: { readonly fromMs?: number; readonly toMs?: number },
): Promise<DashboardCounts> {
  const tenantId = authorise(context, 'dashboard:read');
  const { fromMs, toMs } = window;
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/to', 'range', 'Must be later than from.')] });
  }
  const nowMs = deps.clock.nowMs();
  const [ledger, apiKeys, actors, flags, leads, tenants] = await Promise.all([
    deps.ledgerCounters.count(tenantId, window),
    deps.areas.apiKeys(tenantId, nowMs),
    deps.areas.actors(tenantId),
    deps.areas.featureFlags(tenantId),
    deps.areas.leads(tenantId, window),
    isOperator(context.principal) ? deps.areas.tenants() : null,
  ]);
  return {
    tenant_id: tenantId,
    from: fromMs === undefined ? null : isoTime(fromMs),
    to: toMs === undefined ? null : isoTime(toMs),
    generated_at: isoTime(nowMs),
    ...ledger,
    api_keys: withTotal(apiKeys),
    actors: withTotal(actors),
    feature_flags: withTotal(flags),
    leads: { ...withTotal(leads.by_status), by_type: leads.by_type },
    tenants: tenants && withTotal(tenants),
  };
}

const instant = (text: string | undefined): number | undefined => (text == null ? undefined : instantOf(text));

@Resolver()
export class DashboardResolver {
  readonly #deps: DashboardDeps;

  constructor(deps: DashboardDeps) {
    this.#deps = deps;
  }

  @Query(() => Dashboard, { description: 'Counts the records of the tenant.' })
  dashboard(@Args(() => DashboardWindow) { from, to }: DashboardWindow, @Ctx() context: RequestContext) {
    const [fromMs, toMs] = [instant(from), instant(to)];
    const window = { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
    return readDashboard(this.#deps, context, window);
  }
}
