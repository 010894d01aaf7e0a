import type { EventSearchFacets } from '../schema.js';

/** Members of a hit that are counted. */
interface FacetedHit {
  readonly source_system: string;
  readonly event_family?: string;
  readonly event_type?: string;
  readonly outcome?: string;
  readonly effective_at: Date;
}

/** Values of a facet; only the most frequent ones are returned. */
const MAX_FACET_VALUES = 20;
const MONTH_LENGTH = 7;

/** Counts hits by value, the most frequent first; a hit without a value is not counted. */
export function facetsOf(hits: readonly FacetedHit[]): EventSearchFacets {
  return {
    event_family: countBy(hits, (hit) => hit.event_family),
    event_type: countBy(hits, (hit) => hit.event_type),
    outcome: countBy(hits, (hit) => hit.outcome),
    source_system: countBy(hits, (hit) => hit.source_system),
    month: countBy(hits, (hit) => hit.effective_at.toISOString().slice(0, MONTH_LENGTH)),
  };
}

function countBy(
  hits: readonly FacetedHit[],
  facetValue: (hit: FacetedHit) => string | undefined,
): EventSearchFacets['month'] {
  const counts = new Map<string, number>();
  for (const hit of hits) {
    const value = facetValue(hit);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_FACET_VALUES);
}
