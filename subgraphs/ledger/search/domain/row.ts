import { type EventKey, eventKeysOf } from '../../../../shared/event-keys/event-keys.js';
import { payloadOf } from '../../../../shared/event-keys/payload-codes.js';
import { statedAmounts } from '../../../../shared/event-keys/stated-amounts.js';
import { withoutHidden } from '../../../../shared/evidence/without-hidden.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { searchedText } from '../../../../shared/text/searched-text.js';
import { contentOf, type LedgerRow, type QueryFields } from '../../append/domain/index.js';
import { spaceOf } from '../../event-keys/domain/index.js';
import { searchTextsOf } from './texts.js';

/** The index row of an event. It follows from the ledger row and the hidden fields, so that it can be rebuilt. */
export interface SearchRow {
  readonly _id: LedgerRow['_id'];
  readonly tenant_id: string;
  /** Empty for callers' own partitions; each reserved partition is a separate space (evidence.md section 2). */
  readonly space: string;
  readonly event_id: string;
  readonly effective_at: Date;
  /** Lower case, as in the ledger's query fields. */
  readonly event_family?: string;
  readonly event_type?: string;
  readonly outcome?: string;
  /** Distinct terms of the texts, then those of the filters. */
  readonly terms: readonly string[];
  /** Exact keys of what the event says; the list of events filters by them. */
  readonly keys: readonly EventKey[];
  /** Stated amounts in hundredths; absent if the event states none. */
  readonly charge_cents?: number;
  readonly paid_cents?: number;
  /** Weights of the text terms, in their order. */
  readonly weights: readonly number[];
  readonly words: string;
  readonly length: number;
}

/** Members that filter a search. They are terms too, so that the rarest part leads the search. */
export const FILTERED = ['event_family', 'event_type', 'outcome', 'member_id', 'source_system'] as const;
type Filtered = (typeof FILTERED)[number];

const FACETED = ['event_family', 'event_type', 'outcome'] as const;

/** No token of a text is equal to it: tokens hold only letters and digits. */
export const filterTerm = (name: Filtered, value: string): string =>
  `=${name}:${name === 'member_id' || name === 'source_system' ? value : value.toLowerCase()}`;

/** The term of an exact key; its colon sets it apart from the tokens of a text. */
export const keyTerm = (key: EventKey): string => `=${key}`;

/** Keys that are no terms: a filter of the same member is one already. */
const FILTERED_KEYS = /^(?:member|family|outcome):/;

/**
 * @param row a row that is not altered.
 * @returns the index row of an event; undefined if its record is disposed of or completely hidden.
 */
export function searchRowOf(row: LedgerRow, hidden: readonly string[] = []): SearchRow | undefined {
  const { record, query } = row;
  if (record === undefined || query === undefined || hidden.includes('')) return undefined;
  const content = contentOf(row) ?? {};
  const texts = searchTextsOf(content, hidden);
  const found = searchedText(texts);
  const filters: string[] = [];
  const values = { ...query, source_system: row.source_system };
  for (const name of FILTERED) {
    const value = values[name];
    if (value !== undefined && !hidden.includes(`/${name}`)) filters.push(filterTerm(name, value));
  }
  const shown = hidden.length === 0 ? content : withoutHidden(content, hidden);
  const keys = eventKeysOf(shown);
  return {
    _id: row._id,
    tenant_id: row.tenant_id,
    space: spaceOf(row.source_system),
    event_id: row.event_id,
    effective_at: query.effective_at,
    ...shownOf(query, hidden),
    ...found,
    terms: [...found.terms, ...filters, ...keys.filter((key) => !FILTERED_KEYS.test(key)).map(keyTerm)],
    keys,
    ...amountsOf(shown),
  };
}

function amountsOf(shown: JsonObject): Pick<SearchRow, 'charge_cents' | 'paid_cents'> {
  const { charge_cents, paid_cents } = statedAmounts(payloadOf(shown));
  return {
    ...(charge_cents === null ? {} : { charge_cents }),
    ...(paid_cents === null ? {} : { paid_cents }),
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
