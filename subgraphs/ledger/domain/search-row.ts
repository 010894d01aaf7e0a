import { sha256Hex } from '../../../shared/crypto/hash.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { searchedText } from '../../../shared/text/searched-text.js';
import type { LedgerRow, QueryFields } from './ledger-row.js';
import { contentOf } from './record-content.js';
import { searchTextsOf } from './search-texts.js';

/** What an event is found by. All of it follows from the ledger row and what is hidden of it: it can be made again. */
export interface SearchRow {
  readonly _id: LedgerRow['_id'];
  readonly tenant_id: string;
  /** Empty for callers' own partitions; a reserved partition is a space of its own (evidence.md section 2). */
  readonly space: string;
  readonly event_id: string;
  readonly effective_at: Date;
  /** Lower case, as in the ledger's query fields. */
  readonly event_family?: string;
  readonly event_type?: string;
  readonly outcome?: string;
  /** Distinct terms of the texts, then those of the filters. */
  readonly terms: readonly string[];
  /** Of the terms of texts, in their order. */
  readonly weights: readonly number[];
  readonly words: string;
  readonly length: number;
}

export const spaceOf = (sourceSystem: string): string => (isReservedSourceSystem(sourceSystem) ? sourceSystem : '');

/** Members by which a search is narrowed. They are terms too, so that the rarest of all parts leads the search. */
export const FILTERED = ['event_family', 'event_type', 'outcome', 'member_id', 'source_system'] as const;
export type Filtered = (typeof FILTERED)[number];

const FACETED = ['event_family', 'event_type', 'outcome'] as const;

/** No token of a text looks like it: they hold letters and digits alone. */
export const filterTerm = (name: Filtered, value: string): string =>
  `=${name}:${name === 'member_id' || name === 'source_system' ? value : value.toLowerCase()}`;

/** A record that is no longer what was recorded: what stands in it may be found by nobody. */
export const isAltered = ({ record, worm_sha256 }: Pick<LedgerRow, 'record' | 'worm_sha256'>): boolean =>
  record !== undefined && sha256Hex(record) !== worm_sha256;

/**
 * @param row not altered.
 * @returns the row of an event; undefined for one without content: its record is disposed of, or all of it is hidden.
 */
export function searchRowOf(row: LedgerRow, hidden: readonly string[] = []): SearchRow | undefined {
  const { record, query } = row;
  if (record === undefined || query === undefined || hidden.includes('')) return undefined;
  const texts = searchTextsOf(contentOf(row) ?? {}, hidden);
  const found = searchedText(texts);
  const filters: string[] = [];
  const values = { ...query, source_system: row.source_system };
  for (const name of FILTERED) {
    const value = values[name];
    if (value !== undefined && !hidden.includes(`/${name}`)) filters.push(filterTerm(name, value));
  }
  return {
    _id: row._id,
    tenant_id: row.tenant_id,
    space: spaceOf(row.source_system),
    event_id: row.event_id,
    effective_at: query.effective_at,
    ...shownOf(query, hidden),
    ...found,
    terms: [...found.terms, ...filters],
  };
}

function shownOf(query: QueryFields, hidden: readonly string[]): Pick<SearchRow, (typeof FACETED)[number]> {
  const shown: { [name in (typeof FACETED)[number]]?: string } = {};
  for (const name of FACETED) {
    const value = query[name];
    if (value !== undefined && !hidden.includes(`/${name}`)) shown[name] = value;
  }
  return shown;
}
