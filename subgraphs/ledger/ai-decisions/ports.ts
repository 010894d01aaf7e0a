import type { RowReader } from '../../../shared/records/row-store.js';
import type { AiDecisionStatus } from './domain/decision.js';
import type { AiCell } from './domain/summary.js';

/** The place of an entry in the chain `ai-provenance`. */
export interface AiPlace {
  readonly seq: number;
  readonly event_id: string;
  readonly entry_hash: string;
  readonly recorded_at: Date;
}

/** An index row of a decision: derived from its entries, and derived again whenever it is missing. */
export interface AiDecisionRow {
  readonly decision_id: string;
  readonly place: AiPlace;
  readonly decision_type: string;
  readonly model_name: string;
  readonly model_version: string;
  readonly member_id: string | null;
  readonly event_id: string | null;
  readonly recommendation: string;
  readonly adverse: boolean;
  /** Adverse, and without a licensed reviewer when it was recorded. */
  readonly unreviewed: boolean;
  readonly decided_at: Date;
  readonly month: string;
  readonly created_at: Date;
  readonly status: AiDecisionStatus;
  /** AI_ADVERSE_UNREVIEWED; null if there is no exception. */
  readonly exception_id: string | null;
  /** In the order of the chain. */
  readonly overrides: readonly AiPlace[];
}

/** The time in which decisions were made: from ≤ decided_at < to. */
export interface AiWindow {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The decisions of one tenant. */
interface TenantAiDecisions extends RowReader<AiDecisionRow> {
  /** Inserts a decision; leaves an existing one unchanged. */
  add(row: AiDecisionRow): Promise<void>;
  /** Adds an override; a decision that has it stays unchanged. */
  addOverride(decisionId: string, place: AiPlace): Promise<void>;
  /** Counts similar decisions. */
  cells(window: AiWindow): Promise<AiCell[]>;
  /** Sequence up to which entries are derived. */
  derivedUpTo(): Promise<number>;
  markDerived(seq: number): Promise<void>;
}

export type AiDecisionStore = (tenantId: string) => TenantAiDecisions;
