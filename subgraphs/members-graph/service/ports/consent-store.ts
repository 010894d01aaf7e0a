import type { ConsentDecision } from '../../../../shared/consent/verdict.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { ConsentAction, ConsentReach, ConsentStatus } from '../../domain/consent/consent.js';

export interface ConsentStep {
  readonly revision: number;
  readonly action: ConsentAction;
  readonly from: ConsentStatus | null;
  readonly to: ConsentStatus;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  /** Of the request that took it: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A consent as stored. */
export interface StoredConsent extends ConsentReach {
  readonly consent_id: string;
  readonly tenant_id: TenantId;
  readonly member_id: string;
  /** Families and kinds of records, and labels, in the writing of who gave them; empty: all. */
  readonly categories: readonly string[];
  /** The signed form, and who gave it for the member. */
  readonly source_document_id: string | null;
  readonly grantor: string | null;
  readonly note: string | null;
  readonly revocation_reason: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly history: readonly ConsentStep[];
}

export interface ConsentListQuery extends ListWindow {
  readonly member_id?: string | undefined;
  readonly status?: ConsentStatus | undefined;
  readonly decision?: ConsentDecision | undefined;
  readonly purpose?: string | undefined;
}

export interface ConsentWrite {
  readonly consent: Omit<StoredConsent, 'history'>;
  readonly step: ConsentStep;
  readonly pending: readonly PendingEffect[];
}

/** Consents of one tenant. */
export interface TenantConsents {
  get(consentId: string): Promise<StoredConsent | null>;
  /** Up to `limit + 1` in order. */
  list(query: ConsentListQuery): Promise<readonly StoredConsent[]>;
  /** Every ACTIVE one of these members for this purpose or any. */
  activeOf(memberIds: readonly string[], purpose: string): Promise<readonly StoredConsent[]>;
  /** Null when the identifier is taken. Durable when it resolves. */
  insert(write: ConsentWrite): Promise<StoredConsent | null>;
  /** Null when it is no longer at this revision. */
  replace(write: ConsentWrite, revision: number): Promise<StoredConsent | null>;
  /** Performs what a write has left behind. */
  relay(write: ConsentWrite): Promise<void>;
}

export type ConsentStore = (tenantId: TenantId) => TenantConsents;

/** What a tenant has settled for all of its members; one row a tenant. */
export interface ConsentPolicy {
  /** Source systems of 42 CFR Part 2 programs, in order. */
  readonly part2_source_systems: readonly string[];
  /** 0 before anything was set. */
  readonly revision: number;
  readonly updated_at: Date | null;
  readonly updated_by: string | null;
}

export interface PolicyWrite {
  readonly policy: ConsentPolicy;
  readonly pending: readonly PendingEffect[];
}

export interface ConsentPolicies {
  of(tenantId: TenantId): Promise<ConsentPolicy>;
  /** False when the policy is no longer at this revision. */
  replace(tenantId: TenantId, write: PolicyWrite, revision: number): Promise<boolean>;
  relay(tenantId: TenantId, write: PolicyWrite): Promise<void>;
}
