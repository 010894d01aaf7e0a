import type { Wanted } from '../../../shared/text/search-query.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { SearchRow } from './domain/row.js';

/** The events to examine: those of one space that have the leading part, newest first. */
export interface Look {
  /** See SearchRow.space. */
  readonly space: string;
  readonly lead: Lead;
  /** Further terms that they must have, and terms that they must not have. */
  readonly all: readonly string[];
  readonly none: readonly string[];
  readonly allPrefixes: readonly string[];
  readonly nonePrefixes: readonly string[];
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Terms to return with their weights. */
  readonly weighed: readonly string[];
  /** The caller checks phrases. */
  readonly withWords: boolean;
  /** At most this many events with the leading part are examined. */
  readonly limit: number;
  /** Whether there may be more of them; if false, that is not looked up. */
  readonly mayBeCut: boolean;
}

export type Lead = Exclude<Wanted, { readonly kind: 'phrase' }>;

/** An event that has all terms and no excluded one. */
export interface Candidate
  extends Pick<SearchRow, '_id' | 'event_id' | 'effective_at' | 'event_family' | 'event_type' | 'outcome' | 'length'> {
  /** In the order of `weighed`. */
  readonly weights: readonly number[];
  readonly words?: string;
}

export interface Looked {
  readonly candidates: readonly Candidate[];
  /** There are more events with the leading part than were examined. */
  readonly cut: boolean;
  /** In that case: the effective time of the oldest one examined. A leading prefix follows terms, and has none. */
  readonly floorMs: number | undefined;
}

/** Pointers of an event to values that no search may find. */
export interface HiddenText {
  readonly event_id: string;
  readonly pointers: readonly string[];
}

/** The index of one tenant's events: no method reaches rows of another. */
export interface TenantSearch {
  /** Counts events with the part, up to `limit`. */
  count(space: string, lead: Lead, limit: number): Promise<number>;
  look(look: Look): Promise<Looked>;
  /** Stores rows durably; replaces existing ones. */
  put(rows: readonly SearchRow[]): Promise<void>;
  remove(places: readonly LedgerRow['_id'][]): Promise<void>;
  /** Returns all rows of one chain. */
  clear(sourceSystem: string): Promise<void>;
  /** Returns the hidden pointers of these events, by event id. */
  hiddenOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Adds hidden pointers, durably. */
  hide(hidden: HiddenText): Promise<void>;
  /** Returns the places with a disposed record. */
  disposedOf(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow['_id'][]>;
  /** Returns the ledger's rows at these places. */
  ledgerRows(places: readonly LedgerRow['_id'][]): Promise<readonly LedgerRow[]>;
}

export type SearchStore = (tenantId: string) => TenantSearch;
