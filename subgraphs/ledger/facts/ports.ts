import type { DuplicateKeys, LedgerRow } from '../append/domain/index.js';

/** Place of an entry of one tenant. */
export interface EntryPlaceKey {
  readonly source_system: string;
  readonly seq: number;
}

/** Rows that one read asks for. */
export interface AskedRows {
  readonly places: readonly EntryPlaceKey[];
  /** Unique keys of facts by chain; see stateFactKey. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A fact that names records. */
export interface NamingFact {
  readonly key: string;
  readonly refs: readonly string[];
}

/** Rows of facts of one tenant, as they are stored. Reads see what a majority has. */
export interface FactRows {
  /** The tenant's key for the unique keys of its entries. */
  readonly duplicateKeys: DuplicateKeys;
  /** Returns the rows at these places and those with these unique keys, and maybe others between the places. */
  find(asked: AskedRows): Promise<readonly LedgerRow[]>;
  /** Returns the names of subjects (`KIND/ID`) of one chain between both, in order: a subject has one first fact. */
  subjectsBetween(sourceSystem: string, after: string, before: string, limit: number): Promise<readonly string[]>;
  /** Returns the unique keys of facts of one chain whose subjects (`KIND/ID`) are between both, in order. */
  keysBetween(sourceSystem: string, after: string, before: string, limit: number): Promise<readonly string[]>;
  /** Returns the unique keys of the facts of one chain that name one of `refs`. */
  keysNaming(sourceSystem: string, refs: readonly string[]): Promise<readonly string[]>;
  /** Returns the unique keys of the facts of one chain that name something between both texts, with all their names. */
  namesBetween(sourceSystem: string, after: string, before: string): Promise<readonly NamingFact[]>;
  /** Returns the unique keys of the entries of one chain that were recorded since `sinceMs`, newest first. */
  keysSince(sourceSystem: string, sinceMs: number): Promise<readonly string[]>;
  /** Returns the unique keys of the entries of one chain after `seq`, in order; the place is that of the last entry. */
  keysAfter(
    sourceSystem: string,
    seq: number,
  ): Promise<{ readonly last: number | null; readonly keys: readonly string[] }>;
  /** Returns the last place of a chain; 0 for none. */
  lastSeq(sourceSystem: string): Promise<number>;
}

export type FactRowsByTenant = (tenantId: string) => FactRows;
