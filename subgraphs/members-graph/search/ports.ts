import type { TenantId } from '../../../shared/ids/tenant.js';
import type { MatchOdds } from '../matching/domain/index.js';

/** Matching weights learnt from a tenant's directory. */
export interface LearntModel {
  /** Null: too few matches to learn from; the defaults apply. */
  readonly odds: MatchOdds | null;
  /** Share of candidate pairs that are one person, as estimated. */
  readonly match_share: number | null;
  readonly pairs: number;
  /** Size of the directory at the time. */
  readonly members: number;
  /** Common names, each with its number of members. */
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
