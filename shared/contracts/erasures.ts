import type { TenantId } from '../ids/tenant.js';
import type { HeldKind } from './holds.js';

/** Why something of a member stays: LEGAL_HOLD is told first, whatever else keeps it; OPEN_REQUEST where nothing else does. */
export const ERASURE_REFUSALS = ['LEGAL_HOLD', 'RETENTION', 'OTHER_MEMBERS', 'OPEN_REQUEST'] as const;
export type ErasureRefusalReason = (typeof ERASURE_REFUSALS)[number];

export interface ErasureOrder {
  /** Whose certificates name it; the same at every run. */
  readonly erasure_id: string;
  /** Every identifier of the person. */
  readonly member_ids: readonly string[];
}

/** Things of one kind that stay for one reason. */
export interface ErasureRefusal {
  readonly kind: HeldKind;
  readonly reason: ErasureRefusalReason;
  readonly count: number;
  /** LEGAL_HOLD: the holds in force over them. */
  readonly hold_ids?: readonly string[];
  /** RETENTION: when the first of them, and when the last of them, is past its age under the rules of today. */
  readonly earliest_at?: string;
  readonly latest_at?: string;
}

export interface ErasureState {
  /** False: there was more to look at than one run takes; run it again. */
  readonly complete: boolean;
  /** By all runs of this erasure. */
  readonly disposed: { readonly events: number; readonly documents: number };
  /** Of what this run has looked at. */
  readonly refused: readonly ErasureRefusal[];
}

/** Disposal of what there is of one member, for the part that takes their requests. */
export interface Erasures {
  /**
   * Disposes, through the one gate, of those events and documents of the person that retention would let go now and that no
   * hold covers. Running it again goes on with what has become free, and certifies nothing twice.
   */
  run(tenantId: TenantId, order: ErasureOrder): Promise<ErasureState>;
  /** From here on every deletion of the tenant reads OpenRequests anew; those that were let through before have ended. */
  halt(tenantId: TenantId): Promise<void>;
}
