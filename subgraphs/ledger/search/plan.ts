import { rarenessOf } from '../../../shared/text/score.js';
import { type SearchQuery, termsOf } from '../../../shared/text/search-query.js';
import type { FilterTerms } from './domain/query-filters.js';
import type { Lead, TenantSearch } from './ports.js';

/** Counting ends here: a part beyond it is common, and the exact number changes nothing. */
const COUNT_STEPS = [64, 512, 5_001] as const;
export const COMMON = COUNT_STEPS[2];
/**
 * If no part is rare, this many are counted to the end: a query of many common words costs no more than one of a few.
 */
const MAX_COUNTED_COMMON = 4;

/** The parts of a search, by their use. */
export interface SearchParts {
  /** Terms that make the score: of words, codes and phrases. */
  readonly weighed: readonly string[];
  /** Terms of filters: they narrow the search and do not affect the score. */
  readonly filters: readonly string[];
  readonly prefixes: readonly string[];
  readonly phrases: readonly (readonly string[])[];
  readonly noTerms: readonly string[];
  readonly noPrefixes: readonly string[];
  readonly noPhrases: readonly (readonly string[])[];
}

export function partsOf(query: SearchQuery, filters: FilterTerms): SearchParts {
  const phrasesOf = (parts: SearchQuery['all']) =>
    parts.flatMap((part) => (part.kind === 'phrase' ? [part.words] : []));
  const prefixesOf = (parts: SearchQuery['all']) =>
    parts.flatMap((part) => (part.kind === 'prefix' ? [part.prefix] : []));
  return {
    weighed: [...new Set(query.all.flatMap(termsOf))],
    filters: filters.all,
    prefixes: prefixesOf(query.all),
    phrases: phrasesOf(query.all),
    // An excluded phrase excludes itself, not its words.
    noTerms: [...query.none.flatMap((part) => (part.kind === 'term' ? [part.term] : [])), ...filters.none],
    noPrefixes: prefixesOf(query.none),
    noPhrases: phrasesOf(query.none),
  };
}

/** The leading part, and the frequency of the weighed terms. */
export interface SearchPlan {
  readonly lead: Lead;
  /** Up to COMMON. */
  readonly leadCount: number;
  /** Counts of the weighed terms, in their order, up to the step that found the rarest part. */
  readonly counts: readonly number[];
}

/**
 * Lets the rarest part lead: every event that has it is examined. Counts parts in steps, no further than the rarest one
 * needs: a search for a rare code and common words reads little more than the code's own events.
 */
export async function planSearch(search: TenantSearch, space: string, parts: SearchParts): Promise<SearchPlan> {
  const leads: Lead[] = [
    ...[...parts.weighed, ...parts.filters].map((term) => ({ kind: 'term', term }) as const),
    ...parts.prefixes.map((prefix) => ({ kind: 'prefix', prefix }) as const),
  ];
  let counts: readonly number[] = [];
  for (const limit of COUNT_STEPS) {
    const counted = limit === COMMON ? leads.slice(0, MAX_COUNTED_COMMON) : leads;
    const some = await Promise.all(counted.map((lead) => search.count(space, lead, limit)));
    counts = leads.map((_, i) => some[i] ?? COMMON);
    if (counts.some((count) => count < limit)) break;
  }
  const least = Math.min(...counts);
  const place = counts.indexOf(least);
  const lead = leads[place];
  if (!lead) throw new Error('a search without a part to look for reached the planner');
  return { lead, leadCount: least, counts: counts.slice(0, parts.weighed.length) };
}

export const rarenessesOf = (counts: readonly number[], total: number): readonly number[] =>
  counts.map((count) => rarenessOf(count, total));
