import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { MatchOdds } from '../../domain/matching/match-fields.js';

/** What a tenant's own directory has taught. */
export interface LearntModel {
  /** Null: too little to learn from, the defaults hold. */
  readonly odds: MatchOdds | null;
  /** Share of the candidate pairs that are one person, as learning saw it. */
  readonly match_share: number | null;
  readonly pairs: number;
  /** Members when it was learnt. */
  readonly members: number;
  /** Names that several members have, and how many. */
  readonly names: {
    readonly given: readonly (readonly [name: string, members: number])[];
    readonly family: readonly (readonly [name: string, members: number])[];
  };
  readonly learnt_at: Date;
}

export interface MatchModelStore {
  get(tenantId: TenantId): Promise<LearntModel | null>;
  put(tenantId: TenantId, model: LearntModel): Promise<void>;
}
