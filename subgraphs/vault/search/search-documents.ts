import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { readingOf } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { viewOfDocument } from '../../../shared/consent/sensitivity.js';
import { withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { QUERY_FILTER_NAMES } from '../../../shared/event-keys/event-keys.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { highlightOf } from '../../../shared/text/highlight.js';
import { rarenessOf, scoreOf } from '../../../shared/text/score.js';
import {
  parseSearchQuery,
  QUERY_FAULTS,
  type SearchQuery,
  termsOf,
  type Wanted,
} from '../../../shared/text/search-query.js';
import { holdsPhrase } from '../../../shared/text/searched-text.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { DocumentStore, StoredDocument } from '../documents/index.js';
import { namesOf } from '../documents/index.js';
import {
  compareHits,
  decodeHitCursor,
  describingTexts,
  encodeHitCursor,
  facetsOfDocuments,
  type HitPlace,
  searchMark,
} from './domain.js';
import type { IndexedText, TextKey, TextStore } from './ports.js';
import type { DocumentSearchArgs } from './schema.js';

/** Most texts that one search examines, newest documents first. */
const MAX_EXAMINED = 2_000;
/** Counting stops here: beyond this, frequency makes no difference. */
const MAX_COUNTED = 2_001;
const BATCH = 500;
/** Snippets per document. */
const MAX_HIGHLIGHTS = 3;

export interface DocumentSearchDeps {
  readonly texts: TextStore;
  readonly documents: DocumentStore;
  readonly consent: ConsentGate;
}

type Part = Exclude<Wanted, { kind: 'phrase' }>;
type Candidate = Omit<IndexedText, 'text'>;

interface Found extends HitPlace {
  readonly document: StoredDocument;
  readonly key: TextKey;
}

/**
 * Finds documents by text and record, best first. Finds nothing that the reader may not read.
 *
 * @throws VALIDATION_ERROR
 */
export async function searchDocuments(deps: DocumentSearchDeps, context: RequestContext, input: DocumentSearchArgs) {
  requireScope(context, 'search:read');
  const { tenantId, stated } = readingOf(context, 'documents:read', input.purpose);
  const { query, fromMs, toMs } = parseInput(input);
  const { query: text, limit = DEFAULT_PAGE_LIMIT, cursor, purpose: _, ...filters } = input;
  const mark = searchMark([text, filters]);
  const after = cursor === undefined ? null : decodeHitCursor(cursor, mark);
  const texts = deps.texts(tenantId);
  // Documents have none of the values that filters name, so a filter leaves them out.
  const candidates = query.filters.length > 0 ? [] : await texts.find({ ...partsOf(query), limit: MAX_EXAMINED });
  const matching = candidates.filter((candidate) => matchesPhrases(candidate, query));
  const scoreOfText = await scorer(deps, tenantId, query);
  const shown = (await readable(deps, context, tenantId, matching)).filter(({ document }) =>
    matchesFilters(document, filters, fromMs, toMs),
  );
  const viewOf = ({ document }: (typeof shown)[number]) => viewOfDocument(document);
  const { kept, withheld } = await withoutWithheld(deps.consent, tenantId, stated, shown, viewOf);
  const hits: Found[] = kept
    .map(({ document, candidate }) => ({
      document,
      key: candidate,
      score: scoreOfText(candidate),
      atMs: timeOf(document),
      id: document.document_id,
    }))
    .sort(compareHits);
  const rest = after === null ? hits : hits.filter((hit) => compareHits(after, hit) < 0);
  const page = rest.slice(0, limit);
  const bodies = await texts.texts(page.map(({ key }) => key));
  const last = page.at(-1);
  return {
    items: page.map((hit) => itemOf(hit, bodies.get(`${hit.id}:${hit.key.sha256}`) ?? '', query.all)),
    cursors: page.map((hit) => encodeHitCursor(mark, hit)),
    total: hits.length,
    truncated: candidates.length === MAX_EXAMINED,
    facets: facetsOfDocuments(hits.map(({ document, atMs }) => ({ ...document, atMs }))),
    next_cursor: last && rest.length > page.length ? encodeHitCursor(mark, last) : null,
    ...(withheld && { withheld }),
  };
}

const timeOf = ({ effective_at, created_at }: StoredDocument): number => (effective_at ?? created_at).getTime();

function itemOf({ document, score, atMs }: Found, text: string, wanted: readonly Wanted[]) {
  const optional = {
    title: document.title,
    document_type: document.document_type,
    source_system: document.source_system,
    matter_id: document.matter_id,
  };
  return {
    id: document.document_id,
    score,
    filename: document.filename,
    media_type: document.media_type,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
    member_ids: [...document.member_ids],
    at: isoTime(atMs),
    highlights: highlightsOf(document, text, wanted),
  };
}

/** Snippets of the text first, then of the record with their place. */
function highlightsOf(document: StoredDocument, text: string, wanted: readonly Wanted[]) {
  const places: readonly { readonly text: string; readonly pointer?: string }[] = [
    { text },
    ...describingTexts(document),
  ];
  return places
    .flatMap((place) => {
      const found = highlightOf(place.text, wanted);
      if (!found) return [];
      const where = place.pointer === undefined ? {} : { pointer: place.pointer };
      return [{ ...where, snippet: found.snippet, matches: [...found.matches] }];
    })
    .slice(0, MAX_HIGHLIGHTS);
}

/** Words of a phrase are searched as terms; an excluded phrase excludes itself, not its words. */
const partsOf = ({ all, none }: SearchQuery): { readonly all: readonly Part[]; readonly none: readonly Part[] } => ({
  all: all.flatMap((part): Part[] =>
    part.kind === 'phrase' ? part.terms.map((term) => ({ kind: 'term', term })) : [part],
  ),
  none: none.filter((part): part is Part => part.kind !== 'phrase'),
});

const matchesPhrases = ({ words }: Candidate, { all, none }: SearchQuery): boolean =>
  all.every((part) => part.kind !== 'phrase' || holdsPhrase(words, part.words)) &&
  !none.some((part) => part.kind === 'phrase' && holdsPhrase(words, part.words));

async function scorer({ texts }: DocumentSearchDeps, tenantId: TenantId, { all }: SearchQuery) {
  const store = texts(tenantId);
  const terms = [...new Set(all.flatMap(termsOf))];
  const [total, ...counts] = await Promise.all([
    store.total(),
    ...terms.map((term) => store.count({ kind: 'term', term }, MAX_COUNTED)),
  ]);
  const rareness = counts.map((count) => rarenessOf(count, total));
  return ({ terms: own, weights, length }: Candidate): number =>
    scoreOf(
      terms.map((term, i) => ({ weight: weights[own.indexOf(term)] ?? 0, rareness: rareness[i] ?? 0 })),
      length,
    );
}

/** Returns the candidates with content that this reader may read now. */
async function readable(
  { documents }: DocumentSearchDeps,
  { principal }: RequestContext,
  tenantId: TenantId,
  candidates: readonly Candidate[],
): Promise<readonly { readonly document: StoredDocument; readonly candidate: Candidate }[]> {
  const unredacted = readsOriginals(principal);
  const byId = new Map<string, StoredDocument>();
  const ids = [...new Set(candidates.map(({ document_id }) => document_id))];
  for (let at = 0; at < ids.length; at += BATCH) {
    const document_ids = ids.slice(at, at + BATCH);
    for (const row of await documents(tenantId).among(document_ids)) {
      if (row.status === 'AVAILABLE') byId.set(row.document_id, row);
    }
  }
  return candidates.flatMap((candidate) => {
    const document = byId.get(candidate.document_id);
    if (document === undefined) return [];
    const content = unredacted ? document.sha256 : (document.rendition?.sha256 ?? document.sha256);
    const seen = { ...document, ...namesOf(document, !unredacted) };
    return content === candidate.sha256 ? [{ document: seen, candidate }] : [];
  });
}

function matchesFilters(
  document: StoredDocument,
  { member_id, matter_id, document_type, media_type, source_system }: Partial<DocumentSearchArgs>,
  fromMs: number | undefined,
  toMs: number | undefined,
): boolean {
  const at = timeOf(document);
  return (
    (member_id === undefined || document.member_ids.includes(member_id)) &&
    (matter_id === undefined || document.matter_id === matter_id) &&
    (document_type === undefined || document.document_type === document_type) &&
    (media_type === undefined || document.media_type === media_type) &&
    (source_system === undefined || document.source_system === source_system) &&
    (fromMs === undefined || at >= fromMs) &&
    (toMs === undefined || at < toMs)
  );
}

function parseInput({ query: text, from, to }: DocumentSearchArgs) {
  const faults: FieldFault[] = [];
  const query = parseSearchQuery(text, QUERY_FILTER_NAMES);
  if (typeof query === 'string') faults.push(fault('/query', query, QUERY_FAULTS[query]));
  const instant = (path: string, at: string | undefined): number | undefined => {
    const ms = at === undefined ? undefined : instantOf(at);
    if (at !== undefined && ms === undefined)
      faults.push(
        fault(path, 'format', 'Must be an RFC 3339 time with a time zone, for example 2026-03-02T14:11:09Z.'),
      );
    return ms;
  };
  const [fromMs, toMs] = [instant('/from', from), instant('/to', to)];
  if (typeof query === 'string' || faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return { query, fromMs, toMs };
}
