import type { DisposedPlace } from '../../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { RetentionRules } from '../../domain/retention.js';
import type { VaultEffect } from './vault-effects.js';

export interface StoredRules extends RetentionRules {
  readonly tenant_id: TenantId;
  /** 0: nobody has set any. */
  readonly revision: number;
  readonly updated_at: Date | null;
  readonly updated_by: string | null;
  /** Requests that have set them, of late: the same request run again finds it done. */
  readonly work_ids: readonly string[];
}

export interface RulesStore {
  read(tenantId: TenantId): Promise<StoredRules | null>;
  /** False when the rules are at another revision. */
  write(rules: StoredRules, revision: number, pending: readonly VaultEffect[]): Promise<boolean>;
  relay(tenantId: TenantId, pending: readonly VaultEffect[]): Promise<void>;
}

/** An event in a disposal. */
export interface DisposedEvent extends DisposedPlace {
  readonly member_id: string | null;
  /** Name of its write-once copy, until that is gone; given out nowhere. */
  readonly worm_sha256: string | null;
  readonly raw_sha256: string | null;
}

export interface DisposedDocument {
  readonly document_id: string;
  readonly member_ids: readonly string[];
  /** Contents that it named: its own, its rendition's. */
  readonly sha256s: readonly string[];
}

/** PREPARED: written down, not let through yet. DISPOSED: nobody can read it. GONE: no copy is left either. */
export type DisposalStatus = 'PREPARED' | 'DISPOSED' | 'GONE';

/** One disposal: what goes is fixed when it is written, so that whoever ends it does the same. */
export interface StoredDisposal {
  readonly disposal_id: string;
  readonly tenant_id: TenantId;
  readonly sweep_id: string;
  readonly status: DisposalStatus;
  readonly at: Date;
  readonly policies: readonly string[];
  readonly events: readonly DisposedEvent[];
  readonly documents: readonly DisposedDocument[];
  readonly disposed_at: Date | null;
  readonly gone_at: Date | null;
}

export interface TenantDisposalRows {
  insert(disposal: StoredDisposal): Promise<void>;
  get(disposalId: string): Promise<StoredDisposal | null>;
  /** Takes back what was prepared and not let through. */
  abandon(disposalId: string): Promise<void>;
  /** PREPARED → DISPOSED with its effects; nothing when it is further on. @returns whether this call did it. */
  markDisposed(disposalId: string, at: Date, pending: readonly VaultEffect[]): Promise<boolean>;
  /** DISPOSED → GONE: the names of its copies are forgotten too. @returns whether this call did it. */
  markGone(disposalId: string, at: Date, pending: readonly VaultEffect[]): Promise<boolean>;
  relay(disposalId: string, pending: readonly VaultEffect[]): Promise<void>;
  /** The first `limit` DISPOSED ones after that id. */
  pending(after: string | null, limit: number): Promise<readonly StoredDisposal[]>;
  /** How much went by disposals of this sweep, or erasure. */
  countOf(sweepId: string): Promise<{ readonly events: number; readonly documents: number }>;
  /** PREPARED ones older than that which no permit names. */
  dropStale(before: Date, permitted: readonly string[]): Promise<number>;
}

export interface StoredSweep {
  readonly sweep_id: string;
  readonly tenant_id: TenantId;
  readonly at: Date;
  readonly by: string;
  readonly dry_run: boolean;
  readonly complete: boolean;
  readonly events: SweepCounts;
  readonly documents: SweepCounts;
  readonly segments_dropped: readonly string[];
}

export interface SweepCounts {
  readonly past_age: number;
  readonly disposed: number;
  readonly held: number;
}

export interface SweepStore {
  /** A sweep of the same request, run again, stands as it was. */
  save(sweep: StoredSweep, pending: readonly VaultEffect[]): Promise<StoredSweep>;
  find(tenantId: TenantId, sweepId: string): Promise<StoredSweep | null>;
  /** When the last sweep of that name was that was no dry run and came to its end; null for never. */
  lastBy(tenantId: TenantId, by: string): Promise<Date | null>;
}
