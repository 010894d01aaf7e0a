import { z } from 'zod';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import type { Kind } from './search-schema.js';

const FacetValue = z.object({ value: z.string(), count: z.int() });
type FacetValue = z.infer<typeof FacetValue>;

/** The answer of the search of one kind. */
export const KindAnswer = z.object({
  items: z.array(z.looseObject({ score: z.number() })),
  cursors: z.array(z.string()),
  next_cursor: z.string().nullable(),
  total: z.int(),
  truncated: z.boolean(),
  facets: z.record(z.string(), z.array(FacetValue)),
  /** Hits that consent withholds for the stated purpose. */
  withheld: z.object({ count: z.int(), reason: z.string() }).optional(),
  /** Of events: the state of their index. */
  freshness: JSON_OBJECT.optional(),
});
export type KindAnswer = z.infer<typeof KindAnswer>;

const MAX_FACET_VALUES = 20;

/** Adds up the counts of all kinds: equal facets become one, and common facets appear without a hit too. */
export function combinedCounts(answers: ReadonlyMap<Kind, KindAnswer>, common: readonly string[]) {
  const all = [...answers.values()];
  const names = [...new Set([...common, ...all.flatMap(({ facets }) => Object.keys(facets))])];
  return {
    total: all.reduce((sum, { total }) => sum + total, 0),
    truncated: all.some(({ truncated }) => truncated),
    facets: Object.fromEntries(names.map((name) => [name, combined(all.map(({ facets }) => facets[name] ?? []))])),
    ...combinedWithheld(all),
    ...(all.some(({ freshness }) => freshness !== undefined)
      ? { freshness: all.find(({ freshness }) => freshness !== undefined)?.freshness }
      : {}),
  };
}

/** Several reasons become CONSENT_DENIED, as within one kind. */
function combinedWithheld(all: readonly KindAnswer[]) {
  const reported = all.flatMap(({ withheld }) => withheld ?? []);
  const [first] = reported;
  if (first === undefined) return {};
  const isOne = reported.every(({ reason }) => reason === first.reason);
  const count = reported.reduce((sum, one) => sum + one.count, 0);
  return { withheld: { count, reason: isOne ? first.reason : 'CONSENT_DENIED' } };
}

function combined(lists: readonly (readonly FacetValue[])[]): FacetValue[] {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_FACET_VALUES);
}
