import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import type { KindPage } from './merge-kinds.js';
import type { Kind } from './search-schema.js';

/** What the search of one kind answered. */
export interface KindAnswer extends KindPage {
  readonly total: number;
  readonly truncated: boolean;
  readonly facets: Readonly<Record<string, JsonValue>>;
  /** What consent keeps back for the stated purpose. */
  readonly withheld?: { readonly count: number; readonly reason: string };
  /** Of events: how far their index has come. */
  readonly freshness?: JsonObject;
}

interface FacetValue {
  readonly value: string;
  readonly count: number;
}

const MAX_FACET_VALUES = 20;

/** Counts over all kinds: a facet that several have is one, and those that all have are there without any hit. */
export function tellTogether(answers: ReadonlyMap<Kind, KindAnswer>, common: readonly string[]) {
  const all = [...answers.values()];
  const names = [...new Set([...common, ...all.flatMap(({ facets }) => Object.keys(facets))])];
  return {
    total: all.reduce((sum, { total }) => sum + total, 0),
    truncated: all.some(({ truncated }) => truncated),
    facets: Object.fromEntries(
      names.map((name) => [name, together(all.map(({ facets }) => (facets[name] ?? []) as unknown as FacetValue[]))]),
    ),
    ...withheldTogether(all),
    ...(all.some(({ freshness }) => freshness !== undefined)
      ? { freshness: all.find(({ freshness }) => freshness !== undefined)?.freshness }
      : {}),
  };
}

/** Of several reasons, that a consent denies it: as of each kind alone. */
function withheldTogether(all: readonly KindAnswer[]) {
  const told = all.flatMap(({ withheld }) => withheld ?? []);
  const [first] = told;
  if (first === undefined) return {};
  const isOne = told.every(({ reason }) => reason === first.reason);
  const count = told.reduce((sum, one) => sum + one.count, 0);
  return { withheld: { count, reason: isOne ? first.reason : 'CONSENT_DENIED' } };
}

function together(lists: readonly (readonly FacetValue[])[]): FacetValue[] {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_FACET_VALUES);
}
