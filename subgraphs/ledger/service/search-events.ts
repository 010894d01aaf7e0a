import { viewOfEvent } from '../../../shared/consent/sensitivity.js';
import { type Withheld, withoutWithheld } from '../../../shared/consent/withheld.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { scoreOf } from '../../../shared/text/score.js';
import { parseSearchQuery, QUERY_FAULTS, type SearchQuery } from '../../../shared/text/search-query.js';
import { holdsPhrase } from '../../../shared/text/searched-text.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import {
  compareHits,
  decodeSearchCursor,
  encodeSearchCursor,
  markOf,
  type SearchCursor,
} from '../domain/search-cursor.js';
import { type Facets, facetsOf } from '../domain/search-facets.js';
import { FILTERED, type Filtered, filterTerm, spaceOf } from '../domain/search-row.js';
import type { ConsentedReader } from './consented-events.js';
import type { Candidate, SearchStore, TenantSearch } from './ports/search-store.js';
import { recordOf } from './read-events.js';
import type { Freshness, SearchFreshness } from './search-freshness.js';
import { COMMON, partsOf, planSearch, rarenessesOf, type SearchParts, type SearchPlan } from './search-plan.js';
import { type EventHit, showHits } from './show-hits.js';
import type { TenantContext } from './tenant-context.js';

/** Events with the leading part that one search looks at, the newest first; a later page somewhat more, for newcomers. */
export const LOOKED_AT = COMMON - 1;
const LOOKED_AT_LATER = 2 * LOOKED_AT;

export interface SearchEventsInput extends Partial<Record<Filtered, string>> {
  readonly query: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SearchDeps {
  readonly search: SearchStore;
  readonly freshness: SearchFreshness;
}

export interface EventSearchAnswer {
  readonly items: readonly EventHit[];
  /** Of each item: the cursor that goes on after it. */
  readonly cursors: readonly string[];
  /** Hits in all, on all pages. */
  readonly total: number;
  /** Older events were not looked at; narrow the search to reach them. */
  readonly truncated: boolean;
  readonly facets: Facets;
  readonly freshness: Freshness;
  readonly next_cursor: string | null;
  /** Hits that consent keeps back: in no item and no count. */
  readonly withheld?: Withheld;
}

interface Hit extends Candidate {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/** Events by how well they fit, the newer first among equals. @throws VALIDATION_ERROR, INTEGRITY_FAILURE */
export async function searchEvents(
  deps: SearchDeps,
  reader: ConsentedReader,
  tenant: TenantContext,
  input: SearchEventsInput,
): Promise<EventSearchAnswer> {
  const { query, fromMs, toMs } = checked(input);
  const space = spaceOf(input.source_system ?? '');
  const parts = partsOf(query, filtersOf(input));
  const mark = markOf([input.query, fromMs ?? null, toMs ?? null, ...parts.filters]);
  const cursor = input.cursor === undefined ? null : decodeSearchCursor(input.cursor, mark, parts.weighed.length);
  const search = deps.search(tenant.tenantId);
  const [plan, freshness] = await Promise.all([
    planSearch(search, space, parts),
    deps.freshness.of(tenant.tenantId, tenant.ledger, space),
  ]);
  const statistics = cursor ?? { total: freshness.indexed, counts: plan.counts };
  const window = { fromMs: laterOf(fromMs, cursor?.floorMs ?? undefined), toMs };
  const found = await findHits(search, space, parts, plan, window, statistics, cursor !== null);
  const { cut, floorMs } = found;
  const { kept: hits, withheld } = await consentedHits(reader, search, found.hits);
  const ranked = [...hits].sort(compareHits);
  const rest = cursor ? ranked.filter((hit) => compareHits(cursor.after, hit) < 0) : ranked;
  const page = rest.slice(0, input.limit ?? DEFAULT_PAGE_LIMIT);
  const frozen = {
    total: statistics.total,
    counts: statistics.counts,
    floorMs: cursor ? cursor.floorMs : (floorMs ?? null),
  };
  const after = ({ score, atMs, id }: Hit) => encodeSearchCursor(mark, { ...frozen, after: { score, atMs, id } });
  const shown = await showHits(search, page, query.all);
  const last = page.at(-1);
  return {
    items: shown.map(({ item }) => item),
    cursors: shown.map(({ hit }) => after(hit)),
    total: hits.length,
    truncated: cut || (cursor?.floorMs ?? null) !== null,
    facets: facetsOf(hits.map((hit) => ({ ...hit, source_system: hit._id.source_system }))),
    freshness,
    next_cursor: last && rest.length > page.length ? after(last) : null,
    ...(withheld && { withheld }),
  };
}

/** Every hit is judged by what was recorded, before any is counted: a count would tell of what is withheld. */
async function consentedHits({ consent, reading }: ConsentedReader, search: TenantSearch, hits: readonly Hit[]) {
  if (reading.stated === null) return { kept: hits, withheld: null };
  const rows = await search.ledgerRows(hits.map(({ _id }) => _id));
  const byId = new Map(rows.map((row) => [row.event_id, row]));
  const judged = hits.flatMap((hit) => {
    const row = byId.get(hit.event_id);
    // What was disposed of since it was found cannot be judged, and is not shown either.
    if (row?.record === undefined) return [];
    return [{ hit, view: viewOfEvent(recordOf(row) as unknown as Parameters<typeof viewOfEvent>[0]) }];
  });
  const { tenantId, stated } = reading;
  const { kept, withheld } = await withoutWithheld(consent, tenantId, stated, judged, ({ view }) => view);
  return { kept: kept.map(({ hit }) => hit), withheld };
}

async function findHits(
  search: TenantSearch,
  space: string,
  parts: SearchParts,
  { lead, leadCount }: SearchPlan,
  window: { readonly fromMs: number | undefined; readonly toMs: number | undefined },
  { total, counts }: Pick<SearchCursor, 'total' | 'counts'>,
  later: boolean,
): Promise<{ readonly hits: Hit[]; readonly cut: boolean; readonly floorMs: number | undefined }> {
  const all = [...parts.weighed, ...parts.filters];
  const { candidates, cut, floorMs } = await search.look({
    space,
    lead,
    all: all.filter((term) => lead.kind !== 'term' || term !== lead.term),
    none: parts.noTerms,
    allPrefixes: parts.prefixes.filter((prefix) => lead.kind !== 'prefix' || prefix !== lead.prefix),
    nonePrefixes: parts.noPrefixes,
    ...window,
    weighed: parts.weighed,
    withWords: parts.phrases.length + parts.noPhrases.length > 0,
    limit: later ? LOOKED_AT_LATER : LOOKED_AT,
    mayBeCut: leadCount > LOOKED_AT,
  });
  const rareness = rarenessesOf(counts, total);
  const hits = candidates
    .filter((candidate) => phrasesFit(candidate, parts))
    .map((candidate) => ({
      ...candidate,
      score: scoreOf(
        candidate.weights.map((weight, i) => ({ weight, rareness: rareness[i] ?? 0 })),
        candidate.length,
      ),
      atMs: candidate.effective_at.getTime(),
      id: candidate.event_id,
    }));
  return { hits, cut, floorMs };
}

function phrasesFit({ words = '' }: Candidate, { phrases, noPhrases }: SearchParts): boolean {
  return (
    phrases.every((phrase) => holdsPhrase(words, phrase)) && !noPhrases.some((phrase) => holdsPhrase(words, phrase))
  );
}

interface Checked {
  readonly query: SearchQuery;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

function checked({ query: text, from, to }: SearchEventsInput): Checked {
  const faults: FieldFault[] = [];
  const query = parseSearchQuery(text);
  if (typeof query === 'string') faults.push(fault('/query', query, QUERY_FAULTS[query]));
  const fromMs = timeOf('/from', from, faults);
  const toMs = timeOf('/to', to, faults);
  if (typeof query === 'string' || faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return { query, fromMs, toMs };
}

function timeOf(path: string, text: string | undefined, faults: FieldFault[]): number | undefined {
  if (text === undefined) return undefined;
  const instant = instantOf(text);
  if (instant === undefined) faults.push(fault(path, 'format', 'Must be an RFC 3339 time with a zone.'));
  return instant;
}

const filtersOf = (input: SearchEventsInput): readonly string[] =>
  FILTERED.flatMap((name) => {
    const value = input[name];
    return value === undefined ? [] : [filterTerm(name, value)];
  });

const laterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
