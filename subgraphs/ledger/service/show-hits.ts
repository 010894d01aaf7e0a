import type { JsonObject } from '../../../shared/json/strict-json.js';
import { highlightOf, type Span } from '../../../shared/text/highlight.js';
import type { Wanted } from '../../../shared/text/search-query.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { searchTextsOf } from '../domain/search-texts.js';
import type { Candidate, TenantSearch } from './ports/search-store.js';
import { recordOf } from './read-events.js';

/** Highlights of one hit; those worth most come first. */
const MAX_HIGHLIGHTS = 3;

const SHOWN = [
  'event_family',
  'event_type',
  'outcome',
  'member_id',
  'source_system',
  'source_record_id',
  'event_effective_timestamp',
] as const;

export interface HitHighlight {
  /** Where the text stands in the record (RFC 6901). */
  readonly pointer: string;
  readonly snippet: string;
  readonly matches: readonly Span[];
}

/** An event found, as it was recorded. */
export interface EventHit extends Partial<Record<(typeof SHOWN)[number], string>> {
  readonly id: string;
  readonly score: number;
  readonly sequence: number;
  readonly highlights: readonly HitHighlight[];
}

export interface ShownHit<H> {
  readonly hit: H;
  readonly item: EventHit;
}

/**
 * Reads what a page shows from the ledger: the index holds no text, and what leaves the ledger is what was recorded. What
 * was disposed of since it was found is left out. @throws INTEGRITY_FAILURE
 */
export async function showHits<H extends Pick<Candidate, '_id' | 'event_id'> & { readonly score: number }>(
  search: TenantSearch,
  hits: readonly H[],
  wanted: readonly Wanted[],
): Promise<readonly ShownHit<H>[]> {
  if (hits.length === 0) return [];
  const rows = await search.ledgerRows(hits.map(({ _id }) => _id));
  // Read last: what was hidden while the rest was read is not shown.
  const hidden = await search.hiddenOf(hits.map(({ event_id }) => event_id));
  const byId = new Map(rows.map((row) => [row.event_id, row]));
  return hits.flatMap((hit) => {
    const row = byId.get(hit.event_id);
    const item = row && itemOf(row, hit.score, wanted, hidden.get(hit.event_id) ?? []);
    return item ? [{ hit, item }] : [];
  });
}

function itemOf(
  row: LedgerRow,
  score: number,
  wanted: readonly Wanted[],
  hidden: readonly string[],
): EventHit | undefined {
  if (row.record === undefined || hidden.includes('')) return undefined;
  const members = recordOf(row);
  const shown: Partial<Record<(typeof SHOWN)[number], string>> = {};
  for (const name of SHOWN) {
    const value = members[name];
    if (typeof value === 'string' && !hidden.includes(`/${name}`)) shown[name] = value;
  }
  return {
    id: row.event_id,
    score,
    sequence: row._id.seq,
    ...shown,
    highlights: highlightsOf(members, wanted, hidden),
  };
}

function highlightsOf(members: JsonObject, wanted: readonly Wanted[], hidden: readonly string[]): HitHighlight[] {
  const texts = searchTextsOf(members, hidden).sort((a, b) => b.weight - a.weight);
  const highlights: HitHighlight[] = [];
  for (const { pointer, text } of texts) {
    const found = highlightOf(text, wanted);
    if (found) highlights.push({ pointer, ...found });
    if (highlights.length === MAX_HIGHLIGHTS) break;
  }
  return highlights;
}
