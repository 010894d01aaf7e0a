import type { LedgerRow } from '../append/domain/index.js';

/** An answer to a raw message that lists an event as accepted. */
export interface RawOrigin {
  /** Time of receipt of the raw message, RFC 3339. */
  readonly received_at: string;
}

/** Writes and reads of a repair in one tenant's stores. */
export interface TenantRepairs {
  /**
   * Inserts a row at a place without one.
   *
   * @returns false if the place, or its duplicate key, is taken.
   */
  insert(row: LedgerRow): Promise<boolean>;
  /** Replaces a row if it still has the content that was read. @returns false if it changed meanwhile. */
  replace(stored: LedgerRow, row: LedgerRow): Promise<boolean>;
  /** Finds the answer to the raw message with this body that accepted the event. */
  rawOrigin(rawSha256: string, eventId: string): Promise<RawOrigin | null>;
  /**
   * Begins a repair, or continues one of the same reason that a crash ended: the entries of both attempts are the same.
   *
   * @returns the time of its entries
   */
  begin(at: Date, reason: string): Promise<Date>;
  end(): Promise<void>;
}

export type RepairStore = (tenantId: string) => TenantRepairs;
