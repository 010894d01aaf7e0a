import { AI_PROVENANCE_PARTITION, isReservedSourceSystem, SYSTEM_PARTITIONS } from '../../../../shared/ids/tenant.js';
import { factKeyRange } from '../domain/duplicate-key.js';
import type { EventQuery } from '../ports/ledger-store.js';

const RESERVED = [...SYSTEM_PARTITIONS, AI_PROVENANCE_PARTITION];

/**
 * Builds the filter of an event list. Leaves system partitions out unless one is named (evidence.md section 2).
 *
 * @param sources the tenant's chains, needed to find a source record without its system: the fact index starts with the
 * system.
 */
export function eventFilter(tenantId: string, query: EventQuery, sources: readonly string[]): Record<string, unknown> {
  const filter: Record<string, unknown> = { tenant_id: tenantId, source_system: sourceFilter(query, sources) };
  if (query.source_record_id !== undefined) {
    const { from, before } = factKeyRange(query.source_record_id);
    filter['fact_key'] = { $gte: from, $lt: before };
  }
  if (query.member_id !== undefined) filter['query.member_id'] = query.member_id;
  for (const name of ['event_family', 'event_type', 'outcome'] as const) {
    const wanted = query[name];
    if (wanted !== undefined) filter[`query.${name}`] = wanted.toLowerCase();
  }
  Object.assign(filter, timeFilter(query));
  return filter;
}

function sourceFilter(query: EventQuery, sources: readonly string[]): unknown {
  if (query.source_system !== undefined) return query.source_system;
  if (query.source_record_id !== undefined) return { $in: sources.filter((name) => !isReservedSourceSystem(name)) };
  return { $nin: RESERVED };
}

/**
 * Bounds of time for the index, and the exact place after the last item of the page before.
 *
 * @param time the field with the effective time
 */
export function timeFilter(
  query: Pick<EventQuery, 'fromMs' | 'toMs' | 'after' | 'ascending'>,
  time = 'query.effective_at',
): Record<string, unknown> {
  const { fromMs, toMs, after, ascending } = query;
  const bounds: Record<string, Date> = {};
  if (fromMs !== undefined) bounds['$gte'] = new Date(fromMs);
  if (toMs !== undefined) bounds['$lt'] = new Date(toMs);
  if (!after) return Object.keys(bounds).length > 0 ? { [time]: bounds } : {};
  const at = new Date(after.atMs);
  if (ascending && after.atMs > (fromMs ?? Number.NEGATIVE_INFINITY)) bounds['$gte'] = at;
  if (!ascending && after.atMs < (toMs ?? Number.POSITIVE_INFINITY)) {
    delete bounds['$lt'];
    bounds['$lte'] = at;
  }
  const beyond = ascending ? '$gt' : '$lt';
  return {
    [time]: bounds,
    $or: [{ [time]: { [beyond]: at } }, { [time]: at, event_id: { [beyond]: after.id } }],
  };
}
