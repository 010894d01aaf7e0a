import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import type { StoredEdgeKind } from './domain/edge-kinds.js';
import type { NodeId } from './domain/node-id.js';
import type { GraphRecord } from './domain/record.js';

/** The edges that a reader may see. */
export interface EdgeWindow {
  /** since ≤ t < until. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** True to include edges that a redaction hides. */
  readonly hidden: boolean;
}

/** Position in a list of records, newest first. */
export interface RecordPlace {
  readonly atMs: number;
  readonly node: NodeId;
}

/** A target of edges, and the kinds of those edges. */
export interface EdgeTarget {
  readonly to: NodeId;
  readonly kinds: readonly StoredEdgeKind[];
}

/** One generation of one tenant's graph. */
export interface TenantGraph {
  /** Returns the existing records of these nodes, unordered. */
  records(nodes: readonly NodeId[]): Promise<GraphRecord[]>;
  /** Returns at most `limit` records with an edge into the target, newest first. */
  into(target: EdgeTarget, window: EdgeWindow, limit: number, after?: RecordPlace): Promise<GraphRecord[]>;
  /** Returns at most `limit` records with an edge into any of the targets, unordered. */
  intoAny(targets: readonly EdgeTarget[], window: EdgeWindow, limit: number): Promise<GraphRecord[]>;
  /** Returns a page of records by node id. */
  page(after: NodeId | null, limit: number): Promise<GraphRecord[]>;
}

/** A record and the time of reading it: an older reading does not replace a newer one. */
export interface ReadRecord {
  readonly record: GraphRecord;
  readonly readAtMs: number;
}

export interface GraphStore {
  /** Returns the generation that readers use; 1 before the first rebuild. */
  live(tenantId: TenantId): Promise<number>;
  of(tenantId: TenantId, generation: number): TenantGraph;
  /** Inserts or replaces records by node; durable when it resolves. Idempotent. */
  put(tenantId: TenantId, generation: number, records: readonly ReadRecord[]): Promise<void>;
  /** Creates an empty generation without readers. */
  begin(tenantId: TenantId): Promise<number>;
  /** Switches readers to this generation. @returns false if they already use a later one */
  switchTo(tenantId: TenantId, generation: number): Promise<boolean>;
  /** Deletes every earlier generation, including unfinished ones. */
  dropBefore(tenantId: TenantId, generation: number): Promise<void>;
}

/** Position of one chain in one generation of the graph; a row of the work queue. */
export interface GraphCursorRow extends WorkRow {
  readonly tenant_id: TenantId;
  readonly generation: number;
  readonly source_system: string;
  /** The last projected sequence; 0 for none. */
  readonly seq: number;
  /** Time since the chain is behind; absent when it is current. */
  readonly behind_since?: Date;
}

export interface GraphCursors {
  readonly collection: string;
  of(tenantId: TenantId, generation: number): Promise<readonly ChainHead[]>;
  /**
   * Makes the rows of the chains due; creates missing rows.
   *
   * @returns the chains that a worker holds now: that worker may miss the newest entries
   */
  makeDue(tenantId: TenantId, generation: number, chains: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Creates rows at these positions, for a generation without readers. */
  place(tenantId: TenantId, generation: number, heads: readonly ChainHead[]): Promise<void>;
  /** Deletes the rows of earlier generations. */
  dropBefore(tenantId: TenantId, generation: number): Promise<void>;
  /** Time since the longest-waiting chain of all tenants is behind; null if none is. */
  oldestLagMs(): Promise<number | null>;
}
