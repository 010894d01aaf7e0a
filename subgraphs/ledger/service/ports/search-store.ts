import type { Wanted } from '../../../../shared/text/search-query.js';
import type { LedgerRow } from '../../domain/ledger-row.js';
import type { SearchRow } from '../../domain/search-row.js';

/** Which events are looked at: those of one space that have the leading part, the newest first. */
export interface Look {
  /** See SearchRow.space. */
  readonly space: string;
  readonly lead: Lead;
  /** Terms that they must have besides, and those that they must not have. */
  readonly all: readonly string[];
  readonly none: readonly string[];
  readonly allPrefixes: readonly string[];
  readonly nonePrefixes: readonly string[];
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Terms whose weights are told. */
  readonly weighed: readonly string[];
  /** Phrases are judged by whoever asks. */
  readonly withWords: boolean;
  /** At most so many with the leading part are looked at. */
  readonly limit: number;
  /** Whether there may be more of them; where that is known not to be so, it is not looked up. */
  readonly mayBeCut: boolean;
}

export type Lead = Exclude<Wanted, { readonly kind: 'phrase' }>;

/** An event that has all terms and none of those excluded. */
export interface Candidate
  extends Pick<SearchRow, '_id' | 'event_id' | 'effective_at' | 'event_family' | 'event_type' | 'outcome' | 'length'> {
  /** In the order of `weighed`. */
  readonly weights: readonly number[];
  readonly words?: string;
}

export interface Looked {
  readonly candidates: readonly Candidate[];
  /** There are more with the leading part than were looked at. */
  readonly cut: boolean;
  /** Then: the effective time of the oldest one looked at. A leading prefix goes by terms, and has none. */
  readonly floorMs: number | undefined;
}

/** Pointers of an event whose values stand in no search. */
export interface HiddenText {
  readonly event_id: string;
  readonly pointers: readonly string[];
}

/** The index of one tenant's events: no method can reach another's. */
export interface TenantSearch {
  /** How many events have the part, counted up to `limit`. */
  count(space: string, lead: Lead, limit: number): Promise<number>;
  look(look: Look): Promise<Looked>;
  /** Durable; a row that is there is replaced. */
  put(rows: readonly SearchRow[]): Promise<void>;
  remove(places: readonly LedgerRow['_id'][]): Promise<void>;
  /** All rows of one chain. */
  clear(sourceSystem: string): Promise<void>;
  /** What is hidden of these events, by event id. */
  hiddenOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Adds to what is hidden; durable. */
  hide(hidden: HiddenText): Promise<void>;
  /** Those of the places whose record is disposed of. */
  disposedOf(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow['_id'][]>;
  /** The ledger's rows at these places. */
  ledgerRows(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow[]>;
}

export type SearchStore = (tenantId: string) => TenantSearch;
