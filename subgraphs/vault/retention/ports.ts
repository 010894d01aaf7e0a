import type { DisposedPlace } from '../../../shared/contracts/disposal.js';
import type { FactDraft, FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { VaultEffect } from '../documents/index.js';
import type { RetentionRules } from './domain/rules.js';

export interface StoredRules extends RetentionRules {
  readonly tenant_id: TenantId;
  /** 0 before the first change. */
  readonly revision: number;
  readonly updated_at: Date | null;
  readonly updated_by: string | null;
  /** Work ids of recent changes, which recognise repeated requests. */
  readonly work_ids: readonly string[];
}

/** The act that sets rules, for their fact. */
export interface RulesAct extends Pick<FactDraft, 'fact_id' | 'actor' | 'action' | 'event_type'> {
  /** Members of the entry's payload for readers of the partition. */
  readonly details: JsonObject;
}

export interface RulesStore {
  /**
   * Returns the rules that the latest fact of the tenant states; null before the first change.
   *
   * @throws INTEGRITY_FAILURE for a row that its latest fact does not prove
   */
  read(tenantId: TenantId): Promise<StoredRules | null>;
  /** Commits rules by a fact. Returns false if other rules follow the same ones. */
  write(rules: StoredRules, act: RulesAct): Promise<boolean>;
}

/** The stored row: a projection of the latest fact. An edited row may hold anything. */
export type RulesRow = Readonly<Partial<Record<keyof StoredRules | 'fact', unknown>>>;

export interface RulesRows {
  read(tenantId: TenantId): Promise<RulesRow | null>;
  /** Writes the row unless it projects the same or a later fact. */
  put(rules: StoredRules, fact: FactPlace): Promise<void>;
  /** Writes the place of its fact into a row of an earlier version, which names none. */
  adopt(tenantId: TenantId, fact: FactPlace): Promise<void>;
}

/** An event of a disposal. */
export interface DisposedEvent extends DisposedPlace {
  readonly member_id: string | null;
  /** Name of its write-once copy until that is gone; never returned to callers. */
  readonly worm_sha256: string | null;
  readonly raw_sha256: string | null;
}

export interface DisposedDocument {
  readonly document_id: string;
  readonly member_ids: readonly string[];
  /** Its own content, and that of its rendition. */
  readonly sha256s: readonly string[];
}

/**
 * PREPARED: recorded, not yet passed. REFUSED: nothing of it may go. DISPOSED: unreadable. GONE: no copy is left.
 * Only the order's fact says what may go; see proven-orders.ts.
 */
type DisposalStatus = 'PREPARED' | 'REFUSED' | 'DISPOSED' | 'GONE';

/** One disposal. It fixes its subjects when written, so that any process completes it alike. */
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
  /** Keyed hash of the names of contents and members, as its fact states it; null before the fact. */
  readonly contents: string | null;
  /** Place of the order's fact; null before it. */
  readonly fact: FactPlace | null;
}

/** What the fact of an order fixes. */
type DecidedOrder = Pick<StoredDisposal, 'status' | 'at' | 'policies' | 'events' | 'documents' | 'contents' | 'fact'>;

export interface TenantDisposalRows {
  insert(disposal: StoredDisposal): Promise<void>;
  get(disposalId: string): Promise<StoredDisposal | null>;
  /** Writes what the fact of an order says into its PREPARED row. */
  decide(disposalId: string, decided: DecidedOrder): Promise<void>;
  /** Deletes a disposal that was prepared and has not passed. */
  abandon(disposalId: string): Promise<void>;
  /**
   * Moves PREPARED to DISPOSED, or DISPOSED to GONE, which removes the names of its copies; performs the effects.
   *
   * @returns whether this call did it
   */
  markAs(status: 'DISPOSED' | 'GONE', disposalId: string, at: Date, pending: readonly VaultEffect[]): Promise<boolean>;
  /** Returns the first `limit` DISPOSED disposals after that id. */
  pending(after: string | null, limit: number): Promise<readonly StoredDisposal[]>;
  /** Returns the disposals of this sweep or erasure that are DISPOSED or GONE. */
  ofSweep(sweepId: string): Promise<readonly StoredDisposal[]>;
  /** Deletes older PREPARED disposals without a permit. */
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
  /** Records that fail their check: the sweep leaves them. */
  readonly damaged: number;
}

export interface SweepStore {
  /** Stores a sweep. A repeated request keeps the first result. */
  save(sweep: StoredSweep, pending: readonly VaultEffect[]): Promise<StoredSweep>;
  find(tenantId: TenantId, sweepId: string): Promise<StoredSweep | null>;
  /** Returns the time of the last complete sweep by this author that was no dry run, or null. */
  lastBy(tenantId: TenantId, by: string): Promise<Date | null>;
}

/** State that a permit is based on. */
export interface GateState {
  /** Number of placed holds. */
  readonly epoch: number;
  /** Number of passed deletions. */
  readonly passes: number;
  /** Passed deletions that have not ended. */
  readonly permits: readonly string[];
}

/** The one row per tenant in which holds and deletions meet. */
export interface GateStore {
  /** Reads the state; call it before reading holds and subjects. */
  state(tenantId: TenantId): Promise<GateState>;
  /**
   * Grants a permit. Returns false if a hold or a deletion came after that state, and both must be read again. Durable
   * when it resolves.
   */
  permit(tenantId: TenantId, state: GateState, deletionId: string): Promise<boolean>;
  /**
   * Advances the epoch for a new hold.
   *
   * @returns permits granted before it
   */
  advance(tenantId: TenantId): Promise<readonly string[]>;
  /** Removes the permit of a completed deletion. */
  end(tenantId: TenantId, deletionId: string): Promise<void>;
  /** Returns every permit of the deployment, for the recovery after a crash. */
  permits(): Promise<readonly { readonly tenant_id: TenantId; readonly deletion_ids: readonly string[] }[]>;
}
