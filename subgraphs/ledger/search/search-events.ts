import { withoutWithheld } from '../../../shared/consent/withheld.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { QUERY_FILTER_NAMES } from '../../../shared/event-keys/event-keys.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { scoreOf } from '../../../shared/text/score.js';
import { parseSearchQuery, QUERY_FAULTS, type SearchQuery } from '../../../shared/text/search-query.js';
import { holdsPhrase } from '../../../shared/text/searched-text.js';
import { timeArgument } from '../../../shared/time/time-argument.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import { spaceOf } from '../event-keys/domain/index.js';
import { type ConsentedReader, consentViewOf, recordOf } from '../events/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import { compareHits, decodeSearchCursor, encodeSearchCursor, markOf, type SearchCursor } from './domain/cursor.js';
import { facetsOf } from './domain/facets.js';
import { type FilterTerms, NO_TERMS, termsOfFilters } from './domain/query-filters.js';
import { FILTERED, filterTerm } from './domain/row.js';
import type { IndexProgress } from './freshness.js';
import { COMMON, partsOf, planSearch, rarenessesOf, type SearchParts, type SearchPlan } from './plan.js';
import type { Candidate, SearchStore, TenantSearch } from './ports.js';
import type { EventSearchArgs, EventSearchPage } from './schema.js';
import { showHits } from './show-hits.js';

/**
 * Events with the leading part that one search examines, newest first; a later page examines somewhat more, for new
 * events.
 */
const LOOKED_AT = COMMON - 1;
const LOOKED_AT_LATER = 2 * LOOKED_AT;

type SearchEventsInput = Omit<EventSearchArgs, 'purpose'>;

export interface SearchDeps {
  readonly search: SearchStore;
  readonly freshness: IndexProgress;
  readonly rowProofs: RowProofs;
}

interface Hit extends Candidate {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/**
 * Lists events by relevance, the newer first among equals.
 *
 * @throws VALIDATION_ERROR, INTEGRITY_FAILURE
 */
export async function searchEvents(
  deps: SearchDeps,
  reader: ConsentedReader,
  tenant: TenantContext,
  input: SearchEventsInput,
): Promise<EventSearchPage> {
  const { query, terms, fromMs, toMs } = checked(input);
  const space = spaceOf(input.source_system ?? '');
  const parts = partsOf(query, { ...terms, all: [...filtersOf(input), ...terms.all] });
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
  const rowsOf = (places: readonly LedgerRow['_id'][]) => keptRows(deps, tenant, search, places);
  const { kept: hits, withheld } = await consentedHits(reader, rowsOf, found.hits);
  const ranked = [...hits].sort(compareHits);
  const rest = cursor ? ranked.filter((hit) => compareHits(cursor.after, hit) < 0) : ranked;
  const page = rest.slice(0, input.limit ?? DEFAULT_PAGE_LIMIT);
  const frozen = {
    total: statistics.total,
    counts: statistics.counts,
    floorMs: cursor ? cursor.floorMs : (floorMs ?? null),
  };
  const after = ({ score, atMs, id }: Hit) => encodeSearchCursor(mark, { ...frozen, after: { score, atMs, id } });
  const shown = await showHits({ search, rowsOf }, page, query.all);
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

/** Events that were disposed of meanwhile are omitted. @throws INTEGRITY_FAILURE */
async function keptRows(
  { rowProofs }: Pick<SearchDeps, 'rowProofs'>,
  tenant: TenantContext,
  search: TenantSearch,
  places: readonly LedgerRow['_id'][],
): Promise<readonly LedgerRow[]> {
  const rows = await search.ledgerRows(places);
  const proofs = await rowProofs(tenant, rows);
  return rows.filter((_, i) => proofs[i]?.disposalId === null);
}

/**
 * Applies consent to every hit, by its recorded content, before it counts any: a count would reveal withheld events.
 */
async function consentedHits(
  { consent, reading }: ConsentedReader,
  rowsOf: (places: readonly LedgerRow['_id'][]) => Promise<readonly LedgerRow[]>,
  hits: readonly Hit[],
) {
  if (reading.stated === null) return { kept: hits, withheld: null };
  const rows = await rowsOf(hits.map(({ _id }) => _id));
  const byId = new Map(rows.map((row) => [row.event_id, row]));
  const checked = hits.flatMap((hit) => {
    const row = byId.get(hit.event_id);
    // Consent cannot be checked for a record that was disposed of meanwhile, so it is not shown.
    if (row === undefined) return [];
    return [{ hit, view: consentViewOf(recordOf(row)) }];
  });
  const { tenantId, stated } = reading;
  const { kept, withheld } = await withoutWithheld(consent, tenantId, stated, checked, ({ view }) => view);
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
  readonly terms: FilterTerms;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

function checked({ query: text, from, to }: SearchEventsInput): Checked {
  const faults: FieldFault[] = [];
  const query = parseSearchQuery(text, QUERY_FILTER_NAMES);
  const terms = typeof query === 'string' ? NO_TERMS : termsOfFilters(query.filters, faults);
  if (typeof query === 'string') faults.push(fault('/query', query, QUERY_FAULTS[query]));
  const fromMs = timeArgument('/from', from, faults);
  const toMs = timeArgument('/to', to, faults);
  if (typeof query === 'string' || faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return { query, terms, fromMs, toMs };
}

const filtersOf = (input: SearchEventsInput): readonly string[] =>
  FILTERED.flatMap((name) => {
    const value = input[name];
    return value === undefined ? [] : [filterTerm(name, value)];
  });

const laterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
