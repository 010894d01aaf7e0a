import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { StoredEdgeKind } from '../../domain/graph/edge-kinds.js';
import type { GraphRecord } from '../../domain/graph/graph-record.js';
import type { NodeId } from '../../domain/graph/node-id.js';

/** Which edges a reader may meet. */
export interface EdgeWindow {
  /** since ≤ t < until. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Edges that a redaction hides are met as well. */
  readonly hidden: boolean;
}

/** Where a list of records goes on, newest first. */
export interface RecordPlace {
  readonly atMs: number;
  readonly node: NodeId;
}

/** One target of edges, and the kinds that may lead into it. */
export interface EdgeTarget {
  readonly to: NodeId;
  readonly kinds: readonly StoredEdgeKind[];
}

/** One generation of one tenant's graph. */
export interface TenantGraph {
  /** Those of these that are there, in no order. */
  records(nodes: readonly NodeId[]): Promise<GraphRecord[]>;
  /** Records with an edge into the target, newest first; at most `limit`. */
  into(target: EdgeTarget, window: EdgeWindow, limit: number, after?: RecordPlace): Promise<GraphRecord[]>;
  /** Records with an edge into any of the targets, in no order; at most `limit`. */
  intoAny(targets: readonly EdgeTarget[], window: EdgeWindow, limit: number): Promise<GraphRecord[]>;
  /** In order of node id. */
  page(after: NodeId | null, limit: number): Promise<GraphRecord[]>;
}

/** A record, and when what it says was read: an older reading does not replace a younger one. */
export interface ReadRecord {
  readonly record: GraphRecord;
  readonly readAtMs: number;
}

export interface GraphStore {
  /** The generation that readers see; 1 where nothing was ever rebuilt. */
  live(tenantId: TenantId): Promise<number>;
  of(tenantId: TenantId, generation: number): TenantGraph;
  /** Puts records in the place of those of the same node; durable when it resolves. Doing it again changes nothing. */
  put(tenantId: TenantId, generation: number, records: readonly ReadRecord[]): Promise<void>;
  /** A generation that nobody reads yet, empty. */
  begin(tenantId: TenantId): Promise<number>;
  /** Readers see this generation from now on. False where they see a later one already. */
  switchTo(tenantId: TenantId, generation: number): Promise<boolean>;
  /** Takes away every generation before this one, those that were never finished too. */
  dropBefore(tenantId: TenantId, generation: number): Promise<void>;
}
