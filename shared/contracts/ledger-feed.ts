import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { DONE, defineCall, FLAG, INT, JSON_OBJECT, json, list, TEXTS } from './call.js';

/** The last entry of a chain. */
const ChainHead = z.object({ source_system: z.string(), sequence: z.int() });
export type ChainHead = z.infer<typeof ChainHead>;

/** An entry of the ledger as receivers of webhooks see it: thin, and nothing personal. */
const FeedEntry = z.object({
  event_id: z.string(),
  source_system: z.string(),
  sequence: z.int(),
  entry_hash: z.string(),
  recorded_at: z.string(),
  /**
   * The parsed record, if the request asked for contents and the ledger has it in memory, as it does just after an append.
   * Do not change it. Read other records through LedgerRecords.
   */
  content: JSON_OBJECT.exactOptional(),
});
export type FeedEntry = z.infer<typeof FeedEntry>;

export interface FeedRequest {
  /** The last processed entry of each chain; other chains are read from their beginning. */
  readonly after: readonly ChainHead[];
  /** Every chain but the reserved ones. */
  readonly all: boolean;
  /** Further chains, reserved ones too. */
  readonly named: readonly string[];
  readonly limit: number;
  /** Include contents that are in memory. */
  readonly contents?: boolean;
}

const FeedPage = z.object({
  /** In the order of their chains. */
  entries: list(FeedEntry),
  /** Whether there are more entries. */
  more: z.boolean(),
});
export type FeedPage = z.infer<typeof FeedPage>;

/** The ledger read by cursors, for followers in other subgraphs (design.md decision 5). */
export interface LedgerFeed {
  /** Every chain with its majority-committed head, the reserved ones included. */
  heads(tenantId: TenantId): Promise<readonly ChainHead[]>;
  read(tenantId: TenantId, request: FeedRequest): Promise<FeedPage>;
}

/** Notifies followers that chains have grown. A hint that may be lost: followers also poll. */
export interface LedgerFollower {
  /** @returns whether the tenant has a follower. */
  grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean>;
}

export const ledgerHeads = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerHeads',
  input: {},
  output: list(ChainHead),
});

export const ledgerFeed = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerFeed',
  input: { after: json(list(ChainHead)), all: FLAG, named: TEXTS, limit: INT, contents: FLAG },
  output: FeedPage,
});

/** To the subgraph of webhooks. */
export const ledgerGrown = defineCall({
  subgraph: 'admin',
  kind: 'mutation',
  name: 'ledgerGrown',
  input: { chains: TEXTS },
  output: DONE,
});

/** To the subgraph of the graph. */
export const graphLedgerGrown = defineCall({
  subgraph: 'members-graph',
  kind: 'mutation',
  name: 'graphLedgerGrown',
  input: { chains: TEXTS },
  output: DONE,
});
