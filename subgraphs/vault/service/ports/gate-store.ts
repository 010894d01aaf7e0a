import type { TenantId } from '../../../../shared/ids/tenant.js';

/** What a permit is asked for on the ground of. */
export interface GateState {
  /** Counts placed holds. */
  readonly epoch: number;
  /** Counts deletions that were let through. */
  readonly passes: number;
  /** Deletions that were let through and have not ended. */
  readonly permits: readonly string[];
}

/** The tenant's one row at which holds and deletions meet. */
export interface GateStore {
  /** To be read before holds and things are. */
  state(tenantId: TenantId): Promise<GateState>;
  /**
   * False when a hold was placed or a deletion let through since that state: then both are to be read again. Durable when it
   * resolves.
   */
  permit(tenantId: TenantId, state: GateState, deletionId: string): Promise<boolean>;
  /** A hold is placed: the epoch moves on. @returns permits given before it. */
  advance(tenantId: TenantId): Promise<readonly string[]>;
  /** The deletion has ended. */
  end(tenantId: TenantId, deletionId: string): Promise<void>;
  /** Every permit of the deployment, for whoever ends what a crash has left. */
  permits(): Promise<readonly { readonly tenant_id: TenantId; readonly deletion_ids: readonly string[] }[]>;
}
