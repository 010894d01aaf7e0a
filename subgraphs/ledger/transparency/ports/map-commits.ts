import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { TreeRow } from './tree-store.js';

/** Commits the state map of a tenant as the last leaf under a checkpoint (docs/evidence.md "State map"). */
export interface MapCommits {
  /** Whether entries among the first `size` are in no committed map. */
  isOwed(tenantId: TenantId, size: number): Promise<boolean>;
  /**
   * Appends the entry with the root over the first `size` entries, and returns its leaf at the index `size`.
   *
   * @param goOn asked in between; false ends the work.
   * @returns null if the map cannot be made: the checkpoint goes without one.
   */
  leafFor(tenantId: TenantId, size: number, goOn: () => Promise<boolean>): Promise<TreeRow | null>;
  /** Called after a checkpoint with a map. Never throws. */
  published(tenantId: TenantId): Promise<void>;
}
