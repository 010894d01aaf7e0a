import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { readingOf } from '../../../shared/auth/reading.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { viewOfDocument } from '../../../shared/consent/sensitivity.js';
import { withoutWithheld } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
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
import {
  compareFound,
  decodeFoundCursor,
  encodeFoundCursor,
  type FoundPlace,
  facetsOfDocuments,
  searchMark,
} from '../domain/document-hits.js';
import { describingTexts } from '../domain/document-words.js';
import type { DocumentStore, StoredDocument } from './ports/document-store.js';
import type { IndexedText, TextKey, TextStore } from './ports/text-store.js';
import { namesOf } from './read-documents.js';

/** Texts with all parts that one search looks at, the newest documents first. */
export const LOOKED_AT = 2_000;
/** Counting ends here: how common a common word is makes no difference. */
const COUNTED = 2_001;
const BATCH = 500;
/** Places shown of one document. */
const HIGHLIGHTS = 3;

export interface DocumentSearchInput {
  readonly query: string;
  readonly member_id?: string;
  readonly matter_id?: string;
  readonly document_type?: string;
  readonly media_type?: string;
  readonly source_system?: string;
  readonly from?: string;
  readonly to?: string;
  /** For what it is asked; consent leaves hits out. */
  readonly purpose?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface DocumentSearchDeps {
  readonly texts: TextStore;
  readonly documents: DocumentStore;
  readonly consent: ConsentGate;
}

type Part = Exclude<Wanted, { kind: 'phrase' }>;
type Candidate = Omit<IndexedText, 'text'>;

interface Found extends FoundPlace {
  readonly document: StoredDocument;
  readonly key: TextKey;
}

/** Documents by how well their text and record fit; what a reader may not read is found by nobody for them. @throws VALIDATION_ERROR */
export async function searchDocuments(deps: DocumentSearchDeps, context: RequestContext, input: DocumentSearchInput) {
  requireScope(context, 'search:read');
  const { tenantId, stated } = readingOf(context, 'documents:read', input.purpose);
  const { query, fromMs, toMs } = checked(input);
  const { query: text, limit = DEFAULT_PAGE_LIMIT, cursor, purpose: _, ...filters } = input;
  const mark = searchMark([text, filters]);
  const after = cursor === undefined ? null : decodeFoundCursor(cursor, mark);
  const texts = deps.texts(tenantId);
  const candidates = await texts.look({ ...partsOf(query), limit: LOOKED_AT });
  const fitting = candidates.filter((candidate) => phrasesFit(candidate, query));
  const scoreOfText = await scorer(deps, tenantId, query);
  const shown = (await readable(deps, context, tenantId, fitting)).filter(({ document }) =>
    fits(document, filters, fromMs, toMs),
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
    .sort(compareFound);
  const rest = after === null ? hits : hits.filter((hit) => compareFound(after, hit) < 0);
  const page = rest.slice(0, limit);
  const bodies = await texts.texts(page.map(({ key }) => key));
  const last = page.at(-1);
  return {
    items: page.map((hit) => itemOf(hit, bodies.get(`${hit.id}:${hit.key.sha256}`) ?? '', query.all)),
    cursors: page.map((hit) => encodeFoundCursor(mark, hit)),
    total: hits.length,
    truncated: candidates.length === LOOKED_AT,
    facets: facetsOfDocuments(hits.map(({ document, atMs }) => ({ ...document, atMs }))),
    next_cursor: last && rest.length > page.length ? encodeFoundCursor(mark, last) : null,
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

/** The text's first, then what the record shows; those of the record say where they stand. */
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
    .slice(0, HIGHLIGHTS);
}

/** A word of a phrase that is a term leads to the phrase; an excluded phrase excludes itself, not its words. */
const partsOf = ({ all, none }: SearchQuery): { readonly all: readonly Part[]; readonly none: readonly Part[] } => ({
  all: all.flatMap((part): Part[] =>
    part.kind === 'phrase' ? part.terms.map((term) => ({ kind: 'term', term })) : [part],
  ),
  none: none.filter((part): part is Part => part.kind !== 'phrase'),
});

const phrasesFit = ({ words }: Candidate, { all, none }: SearchQuery): boolean =>
  all.every((part) => part.kind !== 'phrase' || holdsPhrase(words, part.words)) &&
  !none.some((part) => part.kind === 'phrase' && holdsPhrase(words, part.words));

async function scorer({ texts }: DocumentSearchDeps, tenantId: TenantId, { all }: SearchQuery) {
  const store = texts(tenantId);
  const terms = [...new Set(all.flatMap(termsOf))];
  const [total, ...counts] = await Promise.all([
    store.total(),
    ...terms.map((term) => store.count({ kind: 'term', term }, COUNTED)),
  ]);
  const rareness = counts.map((count) => rarenessOf(count, total));
  return ({ terms: own, weights, length }: Candidate): number =>
    scoreOf(
      terms.map((term, i) => ({ weight: weights[own.indexOf(term)] ?? 0, rareness: rareness[i] ?? 0 })),
      length,
    );
}

/** Those whose document gives this very content to this reader, now. */
async function readable(
  { documents }: DocumentSearchDeps,
  { principal }: RequestContext,
  tenantId: TenantId,
  candidates: readonly Candidate[],
): Promise<readonly { readonly document: StoredDocument; readonly candidate: Candidate }[]> {
  const unredacted = principal.scopes.has('documents:unredacted');
  const byId = new Map<string, StoredDocument>();
  const ids = [...new Set(candidates.map(({ document_id }) => document_id))];
  for (let at = 0; at < ids.length; at += BATCH) {
    const document_ids = ids.slice(at, at + BATCH);
    const window = { limit: BATCH, order: 'desc', cursor: undefined, fromMs: undefined, toMs: undefined } as const;
    const rows = await documents(tenantId).list({ ...window, document_ids, statuses: ['AVAILABLE'] });
    for (const row of rows) byId.set(row.document_id, row);
  }
  return candidates.flatMap((candidate) => {
    const document = byId.get(candidate.document_id);
    if (document === undefined) return [];
    const content = unredacted ? document.sha256 : (document.rendition?.sha256 ?? document.sha256);
    const seen = { ...document, ...namesOf(document, !unredacted) };
    return content === candidate.sha256 ? [{ document: seen, candidate }] : [];
  });
}

function fits(
  document: StoredDocument,
  { member_id, matter_id, document_type, media_type, source_system }: Partial<DocumentSearchInput>,
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

function checked({ query: text, from, to }: DocumentSearchInput) {
  const faults: FieldFault[] = [];
  const query = parseSearchQuery(text);
  if (typeof query === 'string') faults.push(fault('/query', query, QUERY_FAULTS[query]));
  const instant = (path: string, at: string | undefined): number | undefined => {
    const ms = at === undefined ? undefined : instantOf(at);
    if (at !== undefined && ms === undefined)
      faults.push(fault(path, 'format', 'Must be an RFC 3339 time with a zone.'));
    return ms;
  };
  const [fromMs, toMs] = [instant('/from', from), instant('/to', to)];
  if (typeof query === 'string' || faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  return { query, fromMs, toMs };
}
