import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { AiDecisionStatus } from '../../domain/ai-decision.js';
import type { AiCell } from '../../domain/ai-summary.js';

/** Where an entry stands in the chain `ai-provenance`. */
export interface AiPlace {
  readonly seq: number;
  readonly event_id: string;
  readonly entry_hash: string;
  readonly recorded_at: Date;
}

/** What finds a decision: derived from its entries, and made again from them whenever it is missing. */
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
  /** Adverse, and no licensed person had reviewed it when it was recorded. */
  readonly unreviewed: boolean;
  readonly decided_at: Date;
  readonly month: string;
  readonly created_at: Date;
  readonly status: AiDecisionStatus;
  /** AI_ADVERSE_UNREVIEWED; null where there is nothing to open. */
  readonly exception_id: string | null;
  /** In the order of the chain. */
  readonly overrides: readonly AiPlace[];
}

export interface AiDecisionQuery extends ListWindow {
  readonly decision_type?: string | undefined;
  readonly model_name?: string | undefined;
  readonly model_version?: string | undefined;
  readonly member_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly recommendation?: string | undefined;
  readonly adverse?: boolean | undefined;
  readonly unreviewed?: boolean | undefined;
  readonly status?: string | undefined;
}

/** The decisions of one tenant. */
export interface TenantAiDecisions {
  get(decisionId: string): Promise<AiDecisionRow | null>;
  /** Up to `limit + 1` in order. */
  list(query: AiDecisionQuery): Promise<readonly AiDecisionRow[]>;
  /** Leaves one that is there as it is. */
  add(row: AiDecisionRow): Promise<void>;
  /** Leaves one that knows this override as it is. */
  addOverride(decisionId: string, place: AiPlace): Promise<void>;
  /** Decisions that are alike, counted: from ≤ decided_at < to. */
  cells(window: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined }): Promise<AiCell[]>;
  /** Up to which sequence entries are known to be in. */
  derivedUpTo(): Promise<number>;
  markDerived(seq: number): Promise<void>;
}

export type AiDecisionStore = (tenantId: string) => TenantAiDecisions;
