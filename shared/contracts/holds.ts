import type { TenantId } from '../ids/tenant.js';

/** What a legal hold can hold. */
export const HELD_KINDS = ['EVENT', 'DOCUMENT'] as const;
export type HeldKind = (typeof HELD_KINDS)[number];

export const HOLD_STATUSES = ['ACTIVE', 'RELEASED'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/** What the scope of a hold is compared with. What is unknown of a subject cannot take it out of a hold: leave it out. */
export interface HoldFacts {
  readonly member_ids: readonly string[];
  /** A document's: the events that it is attached to. */
  readonly event_ids?: readonly string[];
  readonly source_system?: string;
  /** The event's own, or those of the events that a document is attached to. */
  readonly event_families?: readonly string[];
  readonly matter_id?: string;
  /** When it happened: event_effective_timestamp, a document's effective_at or else created_at. */
  readonly at_ms?: number;
}

export interface HoldSubject {
  readonly kind: HeldKind;
  readonly id: string;
  readonly facts: HoldFacts;
}

/** A hold as bundles and matters name it. */
export interface HoldSummary {
  readonly hold_id: string;
  readonly name: string;
  readonly matter_id: string | null;
  readonly status: HoldStatus;
  readonly created_at: string;
  readonly released_at: string | null;
}

/** Legal holds, for other subgraphs. Holds are a set: what two of them cover stays held until both are released. */
export interface Holds {
  /** The ACTIVE holds over each subject, by the subject's id; one that nothing holds is not in the map. */
  covering(tenantId: TenantId, subjects: readonly HoldSubject[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Those of these holds that exist, in the order asked for. */
  facts(tenantId: TenantId, holdIds: readonly string[]): Promise<readonly HoldSummary[]>;
  /** Ids of the ACTIVE holds of a legal matter, oldest first. */
  activeOfMatter(tenantId: TenantId, matterId: string): Promise<readonly string[]>;
}
