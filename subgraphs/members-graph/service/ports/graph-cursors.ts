import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../../shared/jobs/work-queue.js';

/** How far one chain is in one generation of the graph: a row of the queue that does the work. */
export interface GraphCursorRow extends WorkRow {
  readonly tenant_id: TenantId;
  readonly generation: number;
  readonly source_system: string;
  /** The last sequence that is done; 0: none. */
  readonly seq: number;
  /** Since when the chain is known to have grown; absent at rest. */
  readonly behind_since?: Date;
}

export interface GraphCursors {
  readonly collection: string;
  of(tenantId: TenantId, generation: number): Promise<readonly ChainHead[]>;
  /**
   * Makes the chains' rows due, those at rest and those that were not there. @returns the chains that are being worked on just
   * now: whether that work will see what is new cannot be told.
   */
  makeDue(tenantId: TenantId, generation: number, chains: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Makes rows at these places, of a generation that is not read yet. */
  place(tenantId: TenantId, generation: number, heads: readonly ChainHead[]): Promise<void>;
  /** Takes away those of every generation before this one. */
  dropBefore(tenantId: TenantId, generation: number): Promise<void>;
  /** Since when the chain that waits longest waits, over all tenants; null where none does. */
  oldestBehindMs(): Promise<number | null>;
}
