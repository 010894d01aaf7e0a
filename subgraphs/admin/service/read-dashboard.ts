import { authorise, isOperator, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { LedgerCounters, LedgerCounts, NamedCount } from '../../../shared/contracts/ledger-counters.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { AreaCounts } from './ports/area-counts.js';

export interface DashboardDeps {
  readonly ledgerCounters: LedgerCounters;
  readonly areas: AreaCounts;
  readonly clock: Clock;
}

export interface StatusCounts {
  readonly total: number;
  readonly by_status: readonly NamedCount[];
}

export interface DashboardCounts extends LedgerCounts {
  readonly tenant_id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly generated_at: string;
  readonly api_keys: StatusCounts;
  readonly actors: StatusCounts;
  readonly feature_flags: StatusCounts;
  readonly leads: StatusCounts & { readonly by_type: readonly NamedCount[] };
  /** Of the whole platform; for its operators. */
  readonly tenants: StatusCounts | null;
}

const totalled = (by_status: readonly NamedCount[]): StatusCounts => ({
  total: by_status.reduce((sum, { count }) => sum + count, 0),
  by_status,
});

/**
 * Counters of one tenant. The window bounds events by their effective time, and raw ingests, exceptions and leads by the
 * time they came; keys, actors, flags and tenants are told as they stand. @throws VALIDATION_ERROR for an empty window.
 */
export async function readDashboard(
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
    api_keys: totalled(apiKeys),
    actors: totalled(actors),
    feature_flags: totalled(flags),
    leads: { ...totalled(leads.by_status), by_type: leads.by_type },
    tenants: tenants && totalled(tenants),
  };
}
