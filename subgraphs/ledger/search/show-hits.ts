import type { JsonObject } from '../../../shared/json/strict-json.js';
import { highlightOf } from '../../../shared/text/highlight.js';
import type { Wanted } from '../../../shared/text/search-query.js';
import type { LedgerRow } from '../append/domain/index.js';
import { recordOf } from '../events/index.js';
import { searchTextsOf } from './domain/texts.js';
import type { Candidate, TenantSearch } from './ports.js';
import type { EventSearchHit, SearchHighlight } from './schema.js';

/** Highlights of one hit; those with the highest weight come first. */
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

interface ShownHit<H> {
  readonly hit: H;
  readonly item: EventSearchHit;
}

interface HitReader {
  readonly search: TenantSearch;
  /** Returns the proven rows at these places, without those of disposed events. */
  readonly rowsOf: (places: readonly LedgerRow['_id'][]) => Promise<readonly LedgerRow[]>;
}

/**
 * Reads the hits of a page from the ledger, because the index holds no text. Omits events that were disposed of
 * meanwhile.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function showHits<H extends Pick<Candidate, '_id' | 'event_id'> & { readonly score: number }>(
  { search, rowsOf }: HitReader,
  hits: readonly H[],
  wanted: readonly Wanted[],
): Promise<readonly ShownHit<H>[]> {
  if (hits.length === 0) return [];
  const rows = await rowsOf(hits.map(({ _id }) => _id));
  // Read last: fields that were hidden during the other reads must not be shown.
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
): EventSearchHit | undefined {
  if (hidden.includes('')) return undefined;
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

function highlightsOf(members: JsonObject, wanted: readonly Wanted[], hidden: readonly string[]): SearchHighlight[] {
  const texts = searchTextsOf(members, hidden).sort((a, b) => b.weight - a.weight);
  const highlights: SearchHighlight[] = [];
  for (const { pointer, text } of texts) {
    const found = highlightOf(text, wanted);
    if (found) highlights.push({ pointer, ...found });
    if (highlights.length === MAX_HIGHLIGHTS) break;
  }
  return highlights;
}
