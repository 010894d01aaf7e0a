import type { EventCounts, LedgerCounts, NamedCount } from '../../../shared/contracts/ledger-counters.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { TenantLedger } from '../append/index.js';
import type { ChainCounter } from './count-chain.js';
import { dateOf, dayOf, EventTally, startOfDayMs, type Tallied } from './domain/event-tally.js';
import type { CountStore, ExceptionCount, IngestCount, TenantCounts, TimeWindow } from './ports.js';

/** Names of one list; there may be as many as events. */
const MAX_NAMES = 500;

export interface CountDeps {
  readonly counts: CountStore;
  readonly chains: ChainCounter;
}

/**
 * Counts the tenant's events. Whole days come from stored tallies. A day that the window cuts is counted along the
 * index of effective times, so that the counts match the window exactly.
 */
export async function countLedger(
  deps: CountDeps,
  tenant: { readonly tenantId: string; readonly ledger: Pick<TenantLedger, 'sourceSystems'> },
  window: TimeWindow,
): Promise<Omit<LedgerCounts, 'integrity'>> {
  const counts = deps.counts(tenant.tenantId);
  const { days, edges } = splitWindow(window);
  const sums = new EventSums();
  if (days) {
    for (const sourceSystem of await tenant.ledger.sourceSystems()) {
      if (isReservedSourceSystem(sourceSystem)) continue;
      sums.add(sourceSystem, await deps.chains.tally(tenant.tenantId, counts, sourceSystem), days);
    }
  }
  for (const edge of edges) {
    for (const { source_system, ...alike } of await counts.recount(edge)) {
      const tally = new EventTally();
      tally.add(alike);
      sums.add(source_system, tally, EVERY_DAY);
    }
  }
  return { events: sums.counts(), ...(await otherCounts(counts, window)) };
}

/** Whole days: first ≤ day < end. */
interface Days {
  readonly first: number;
  readonly end: number;
}

const EVERY_DAY: Days = { first: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

interface Split {
  readonly days: Days | null;
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

type Counts = Map<string | null, number>;

const increase = <K>(counts: Map<K, number>, name: K, count: number): void => {
  counts.set(name, (counts.get(name) ?? 0) + count);
};

/** Sums the tallies of chains within a span of days. */
class EventSums {
  readonly #by: Readonly<Record<Tallied, Counts>> = { family: new Map(), type: new Map(), outcome: new Map() };
  readonly #bySource: Counts = new Map();
  readonly #byDay = new Map<number, number>();

  add(sourceSystem: string, tally: EventTally, { first, end }: Days): void {
    for (const { by, name, days } of tally.series()) {
      let sum = 0;
      for (const [day, count] of days) {
        if (day < first || day >= end) continue;
        sum += count;
        // Every event is in one series of each kind, so that one kind gives all totals.
        if (by === 'family') increase(this.#byDay, day, count);
      }
      if (sum === 0) continue;
      increase(this.#by[by], name, sum);
      if (by === 'family') increase(this.#bySource, sourceSystem, sum);
    }
  }

  counts(): EventCounts {
    const lists = {
      by_family: sorted(this.#by.family),
      by_type: sorted(this.#by.type),
      by_outcome: sorted(this.#by.outcome),
      by_source_system: sorted(this.#bySource),
    };
    return {
      total: [...this.#byDay.values()].reduce((sum, count) => sum + count, 0),
      by_day: [...this.#byDay].sort(([a], [b]) => a - b).map(([day, count]) => ({ date: dateOf(day), count })),
      by_family: lists.by_family.slice(0, MAX_NAMES),
      by_type: lists.by_type.slice(0, MAX_NAMES),
      by_outcome: lists.by_outcome.slice(0, MAX_NAMES),
      by_source_system: lists.by_source_system.slice(0, MAX_NAMES),
      truncated: Object.values(lists).some((list) => list.length > MAX_NAMES),
    };
  }
}

/** The most frequent first, then by name. */
const sorted = (counts: Counts): NamedCount[] =>
  [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || ((a.name ?? '') < (b.name ?? '') ? -1 : 1));

function namedCounts<T extends { readonly count: number }>(
  items: readonly T[],
  nameOf: (item: T) => string,
): NamedCount[] {
  const counts: Counts = new Map();
  for (const item of items) increase(counts, nameOf(item), item.count);
  return sorted(counts);
}

async function otherCounts(
  counts: TenantCounts,
  window: TimeWindow,
): Promise<Omit<LedgerCounts, 'events' | 'integrity'>> {
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
