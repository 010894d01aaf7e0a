import type { CustodyActor } from '../../../shared/contracts/custody.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { Period } from '../records/domain.js';
import type { ConsentAction, ConsentStatus } from './domain.js';
import type { Consent } from './schema.js';

export type StoredConsent = Stored<
  Consent,
  { period: Period; fact?: FactPlace; history: readonly StepLine<ConsentStatus, ConsentAction>[] },
  'in_force'
>;

export interface TenantConsents extends Records<StoredConsent> {
  /** Returns every ACTIVE consent of these members for this purpose or any. */
  activeOf(memberIds: readonly string[], purpose: string): Promise<readonly StoredConsent[]>;
}

export type ConsentStore = (tenantId: TenantId) => TenantConsents;

/** Settings of a tenant for all members; one row a tenant. */
export interface ConsentPolicy {
  /** Source systems of 42 CFR Part 2 programs, sorted. */
  readonly part2_source_systems: readonly string[];
  /** 0 before the first change. */
  readonly revision: number;
  readonly updated_at: Date | null;
  readonly updated_by: string | null;
}

/** A change of the policy, and who makes it. */
interface PolicyChange {
  readonly policy: ConsentPolicy & { readonly updated_at: Date };
  /** Fixed before the first attempt. */
  readonly fact_id: string;
  readonly actor: CustodyActor;
}

export interface ConsentPolicies {
  /** @throws INTEGRITY_FAILURE for a policy that its fact does not prove. */
  of(tenantId: TenantId): Promise<ConsentPolicy>;
  /** Commits a change. @param decide the change of the current policy; null changes nothing. */
  change(tenantId: TenantId, decide: (current: ConsentPolicy) => PolicyChange | null): Promise<ConsentPolicy>;
}
