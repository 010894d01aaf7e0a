import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

/** The last entry of a chain. */
export interface ChainHead {
  readonly source_system: string;
  readonly sequence: number;
}

/** An entry of the ledger as receivers of webhooks are told of it: thin, and nothing personal. */
export interface FeedEntry {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly entry_hash: string;
  readonly recorded_at: string;
  /**
   * Its record, parsed: where it was asked for and the ledger has it at hand, as it does just after an append. Not to be
   * changed. The others are asked for by LedgerRecords.
   */
  readonly content?: JsonObject;
}

export interface FeedRequest {
  /** The last entry that is done of each chain; a chain that is not named is read from its beginning. */
  readonly after: readonly ChainHead[];
  /** Every chain but the reserved ones. */
  readonly all: boolean;
  /** Chains beside those, reserved ones too. */
  readonly named: readonly string[];
  readonly limit: number;
  /** With the contents that are at hand. */
  readonly contents?: boolean;
}

export interface FeedPage {
  /** In the order of their chains. */
  readonly entries: readonly FeedEntry[];
  /** Whether there is more than these. */
  readonly more: boolean;
}

/** The ledger read on by cursors, by those who follow it from another subgraph (design.md decision 5). */
export interface LedgerFeed {
  /** Every chain as a majority has it, the reserved ones included. */
  heads(tenantId: TenantId): Promise<readonly ChainHead[]>;
  read(tenantId: TenantId, request: FeedRequest): Promise<FeedPage>;
}

/** Whom the ledger tells that chains have grown. A hint: it may be lost, and whoever follows looks by itself as well. */
export interface LedgerFollower {
  /** @returns whether anybody of this tenant follows. */
  grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean>;
}
