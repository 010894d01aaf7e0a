import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A decision that a model made or helped to make (api.md section 2 "AI decisions"). The entry in the partition
// `ai-provenance` is the decision; an override is another entry, and the first one stays as it was.

export const AI_DECISION_TYPES = ['UTILIZATION_MANAGEMENT', 'DENIAL', 'FRAUD_SCORE', 'OTHER'] as const;
export type AiDecisionType = (typeof AI_DECISION_TYPES)[number];

export const AI_DECISION_STATUSES = ['RECORDED', 'OVERRIDDEN'] as const;
export type AiDecisionStatus = (typeof AI_DECISION_STATUSES)[number];

const write = { scope: 'ai-provenance:write' } as const;
export const RECORDED_TYPE = 'ai_decision.recorded';
export const OVERRIDDEN_TYPE = 'ai_decision.overridden';
const override = { ...write, action: 'override', to: 'OVERRIDDEN', emits: [OVERRIDDEN_TYPE] } as const;

/** A later override stands above an earlier one; none is taken back. */
export const AI_DECISION_MACHINE = stateMachine<AiDecisionStatus, 'record' | 'override'>('ai-decision', [
  { from: null, action: 'record', to: 'RECORDED', ...write, emits: [RECORDED_TYPE] },
  { from: 'RECORDED', ...override },
  { from: 'OVERRIDDEN', ...override },
]);

export interface AiModel {
  readonly name: string;
  readonly version: string;
  readonly provider?: string;
  readonly artifact_sha256?: string;
}

export interface AiReviewer {
  readonly reviewer_id: string;
  readonly license_type?: string;
  readonly license_number?: string;
  readonly specialty?: string;
  readonly reviewed_at?: string;
  readonly duration_seconds?: number;
  readonly outcome?: string;
}

export interface AiHumanReview {
  readonly required: boolean;
  readonly reviewer?: AiReviewer;
}

/** Whether the decision looked at the person and not at a group alone (CMS-4201-F, California SB 1120). */
export interface AiIndividualized {
  readonly medical_history: boolean;
  readonly provider_recommendation: boolean;
  readonly clinical_notes: boolean;
}

/** What was decided, as it stands in the ledger. */
export interface AiDecision {
  readonly decision_id: string;
  readonly decision_type: AiDecisionType;
  readonly model: AiModel;
  readonly member_id?: string;
  /** The event that it decides about. */
  readonly event_id?: string;
  readonly subject_ref?: string;
  readonly input_sha256: string;
  readonly output?: JsonValue;
  readonly score?: number;
  readonly threshold?: number;
  readonly recommendation: string;
  readonly human_review: AiHumanReview;
  readonly rationale?: string;
  readonly adverse: boolean;
  readonly individualized: AiIndividualized;
  readonly metadata?: JsonObject;
  readonly decided_at: string;
}

export interface AiOverride {
  readonly override_id: string;
  readonly decision_id: string;
  readonly outcome: string;
  /** What stood before: the recommendation, or the outcome of the override before. */
  readonly prior_outcome: string;
  readonly reason: string;
  readonly overridden_by: string;
  readonly credentials?: string;
  readonly overridden_at: string;
}

/**
 * Recommendations against the member: CMS-4201-F speaks of denials, SB 1120 of what denies, delays or modifies. Used where
 * the sender does not say; the sender's own word wins.
 */
const ADVERSE =
  /^(den(y|ied|ial)|reject(ed)?|delay(ed)?|modif(y|ied)|partial(ly)?|reduc(e|ed)|terminat(e|ed)|suspend(ed)?|not[ _-]approved)/i;

export const isAdverse = (type: AiDecisionType, recommendation: string): boolean =>
  type === 'DENIAL' || ADVERSE.test(recommendation.trim());

const isSaid = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

/** Why an adverse decision needs a person's eye, or null: nobody reviewed it, or nobody with a licence. */
export function whyUnreviewed(
  decision: Pick<AiDecision, 'adverse' | 'human_review'>,
): 'NO_REVIEWER' | 'REVIEWER_WITHOUT_LICENSE' | null {
  if (!decision.adverse) return null;
  const { reviewer } = decision.human_review;
  if (!reviewer) return 'NO_REVIEWER';
  return isSaid(reviewer.license_type) && isSaid(reviewer.license_number) ? null : 'REVIEWER_WITHOUT_LICENSE';
}

/** What holds now: the last override's outcome, else what the model recommended. */
export const outcomeOf = (decision: Pick<AiDecision, 'recommendation'>, overrides: readonly AiOverride[]): string =>
  overrides.at(-1)?.outcome ?? decision.recommendation;
