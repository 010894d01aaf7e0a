import type { AiDecision, AiOverride } from './ai-decision.js';

/** Where an entry stands in the ledger. */
export interface ExportedPlace {
  readonly event_id: string;
  readonly sequence: number;
  readonly entry_hash: string;
  readonly recorded_at: string;
}

/** A decision with all that exports tell of it. */
export interface ExportedDecision extends AiDecision {
  /** The key that sent it. */
  readonly recorded_by: string;
  readonly provenance: ExportedPlace;
  readonly overrides: readonly (AiOverride & { readonly recorded_by: string; readonly provenance: ExportedPlace })[];
}
