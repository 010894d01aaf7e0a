import type { EventCounts, LedgerCounts, NamedCount } from '../../../shared/contracts/ledger-counters.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { dateOf, dayOf, EventTally, startOfDayMs, type TallyCell } from '../domain/event-tally.js';
import type { ChainCounter } from './count-chain.js';
import type { CountStore, ExceptionCount, IngestCount, TenantCounts, TimeWindow } from './ports/count-store.js';
import type { TenantLedger } from './ports/ledger-store.js';

/** Names of one list; there may be as many as there are events. */
const MAX_NAMES = 500;

export interface CountDeps {
  readonly counts: CountStore;
  readonly chains: ChainCounter;
}

/**
 * Counts what the tenant has. Whole days come from kept tallies; a day that the window cuts is counted anew along the
 * index of effective times, so that the counts are those of exactly this window.
 */
export async function countLedger(
  deps: CountDeps,
  tenant: { readonly tenantId: string; readonly ledger: Pick<TenantLedger, 'sourceSystems'> },
  window: TimeWindow,
): Promise<LedgerCounts> {
  const counts = deps.counts(tenant.tenantId);
  const { days, edges } = splitWindow(window);
  const cells: SourceCell[] = [];
  if (days) {
    for (const source_system of await tenant.ledger.sourceSystems()) {
      if (isReservedSourceSystem(source_system)) continue;
      const tally = await deps.chains.tally(tenant.tenantId, counts, source_system);
      for (const cell of tally.cells()) {
        if (cell.day >= days.first && cell.day < days.end) cells.push({ ...cell, source_system });
      }
    }
  }
  for (const edge of edges) {
    for (const { source_system, ...alike } of await counts.recount(edge)) {
      const tally = new EventTally();
      tally.add(alike);
      for (const cell of tally.cells()) cells.push({ ...cell, source_system });
    }
  }
  return { events: eventCountsOf(cells), ...(await otherCounts(counts, window)) };
}

interface Split {
  /** Whole days: first ≤ day < end. */
  readonly days: { readonly first: number; readonly end: number } | null;
  readonly edges: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** A window as whole days and at most two parts of days. */
export function splitWindow({ fromMs, toMs }: TimeWindow): Split {
  const from = fromMs ?? Number.NEGATIVE_INFINITY;
  const to = toMs ?? Number.POSITIVE_INFINITY;
  if (from >= to) return { days: null, edges: [] };
  const first = fromMs === undefined ? from : Math.ceil(fromMs / startOfDayMs(1));
  const end = toMs === undefined ? to : dayOf(toMs);
  if (first > end) return { days: null, edges: [{ fromMs: from, toMs: to }] };
  const edges: { fromMs: number; toMs: number }[] = [];
  if (fromMs !== undefined && fromMs < startOfDayMs(first)) edges.push({ fromMs, toMs: startOfDayMs(first) });
  if (toMs !== undefined && toMs > startOfDayMs(end)) edges.push({ fromMs: startOfDayMs(end), toMs });
  return { days: first < end ? { first, end } : null, edges };
}

interface SourceCell extends TallyCell {
  readonly source_system: string;
}

function eventCountsOf(cells: readonly SourceCell[]): EventCounts {
  // Every event stands in one cell of each kind, so one kind alone gives what does not depend on it.
  const once = cells.filter((cell) => cell.by === 'family');
  const by = (kind: TallyCell['by']): NamedCount[] =>
    namedCounts(
      cells.filter((cell) => cell.by === kind),
      (cell) => cell.name,
    );
  const lists = {
    by_family: by('family'),
    by_type: by('type'),
    by_outcome: by('outcome'),
    by_source_system: namedCounts(once, (cell) => cell.source_system),
  };
  const days = new Map<number, number>();
  for (const { day, count } of once) days.set(day, (days.get(day) ?? 0) + count);
  return {
    total: once.reduce((sum, { count }) => sum + count, 0),
    by_day: [...days].sort(([a], [b]) => a - b).map(([day, count]) => ({ date: dateOf(day), count })),
    by_family: lists.by_family.slice(0, MAX_NAMES),
    by_type: lists.by_type.slice(0, MAX_NAMES),
    by_outcome: lists.by_outcome.slice(0, MAX_NAMES),
    by_source_system: lists.by_source_system.slice(0, MAX_NAMES),
    truncated: Object.values(lists).some((list) => list.length > MAX_NAMES),
  };
}

/** The most frequent first; among equals by name. */
function namedCounts<T extends { readonly count: number }>(
  items: readonly T[],
  nameOf: (item: T) => string | null,
): NamedCount[] {
  const counts = new Map<string | null, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + item.count);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
}

async function otherCounts(counts: TenantCounts, window: TimeWindow): Promise<Omit<LedgerCounts, 'events'>> {
  const [exceptions, ingests] = [await counts.exceptions(window), await counts.ingests(window)];
  const sum = (name: keyof Omit<IngestCount, 'format'>): number => ingests.reduce((all, row) => all + row[name], 0);
  const by = (name: keyof Omit<ExceptionCount, 'count'>): NamedCount[] => namedCounts(exceptions, (row) => row[name]);
  return {
    raw_ingests: {
      total: sum('count'),
      transactions: sum('transactions'),
      accepted: sum('accepted'),
      duplicated: sum('duplicated'),
      rejected: sum('rejected'),
      by_format: namedCounts(ingests, (row) => row.format),
    },
    exceptions: {
      total: exceptions.reduce((all, { count }) => all + count, 0),
      by_kind: by('kind'),
      by_status: by('status'),
      by_severity: by('severity'),
    },
  };
}
