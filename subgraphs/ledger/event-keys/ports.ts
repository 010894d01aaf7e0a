import type { EventKey } from '../../../shared/event-keys/event-keys.js';
import type { Keyset } from '../../../shared/pagination/cursor.js';
import type { LedgerRow } from '../append/domain/index.js';

/** The events of one space that have all of these keys. */
export interface KeyedQuery {
  /** See `spaceOf`. */
  readonly space: string;
  /** At least one; the first one leads the index scan, so it should be the rarest. */
  readonly keys: readonly EventKey[];
  readonly event_type?: string;
  readonly source_system?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The place after which the page begins. */
  readonly after?: Keyset;
  readonly ascending: boolean;
  /** Largest number of places to return. */
  readonly limit: number;
}

/** Where an event is, and its keys without those that a redaction hides. */
export interface KeyedPlace {
  readonly _id: LedgerRow['_id'];
  readonly event_id: string;
  readonly effective_at: Date;
  readonly event_type?: string;
  readonly keys: readonly EventKey[];
  /** Stated amounts in hundredths. */
  readonly charge_cents?: number;
  readonly paid_cents?: number;
}

/** A part of a chain. */
export interface ChainQuery {
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The last sequence number that was read; 0 at the start. */
  readonly afterSeq: number;
  readonly limit: number;
}

export interface CountQuery {
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly limit: number;
}

/** The keys of one tenant's events, as far as the search index has followed the ledger. */
export interface TenantEventKeys {
  /** Returns places in order of (effective time, event). */
  find(query: KeyedQuery): Promise<readonly KeyedPlace[]>;
  /** Returns the places of one chain, in order of the chain. */
  ofSource(sourceSystem: string, query: ChainQuery): Promise<readonly KeyedPlace[]>;
  /** Counts the events of callers' own partitions with this key, up to the limit. */
  count(key: EventKey, query: CountQuery): Promise<number>;
  /** Returns the places that have one of `any` and also `key`, in any order. */
  withAny(any: readonly EventKey[], key: EventKey, limit: number): Promise<readonly KeyedPlace[]>;
  /** Returns the ledger's rows at these places, in this order; a missing row is left out. */
  rows(places: readonly KeyedPlace[]): Promise<readonly LedgerRow[]>;
  /** Returns the ledger's rows of these events of callers' own partitions, in any order. */
  rowsOf(eventIds: readonly string[]): Promise<readonly LedgerRow[]>;
}

export type EventKeyStore = (tenantId: string) => TenantEventKeys;
