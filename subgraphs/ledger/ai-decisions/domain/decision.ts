import { stateMachine } from '../../../../shared/state-machine/state-machine.js';
import type { AiDecision as ShownDecision, AiOverride as ShownOverride } from '../schema/decision.js';

// A decision that a model made or helped to make (api.md section 2 "AI decisions"). The entry in the partition
// `ai-provenance` is the decision; an override is another entry and leaves the first one unchanged.

export const AI_DECISION_TYPES = ['UTILIZATION_MANAGEMENT', 'DENIAL', 'FRAUD_SCORE', 'OTHER'] as const;
export type AiDecisionType = (typeof AI_DECISION_TYPES)[number];

export const AI_DECISION_STATUSES = ['RECORDED', 'OVERRIDDEN'] as const;
export type AiDecisionStatus = (typeof AI_DECISION_STATUSES)[number];

const write = { scope: 'ai-provenance:write' } as const;
export const RECORDED_TYPE = 'ai_decision.recorded';
export const OVERRIDDEN_TYPE = 'ai_decision.overridden';
const override = { ...write, action: 'override', to: 'OVERRIDDEN', emits: [OVERRIDDEN_TYPE] } as const;

/** A later override replaces an earlier one; none can be withdrawn. */
export const AI_DECISION_MACHINE = stateMachine<AiDecisionStatus, 'record' | 'override'>('ai-decision', [
  { from: null, action: 'record', to: 'RECORDED', ...write, emits: [RECORDED_TYPE] },
  { from: 'RECORDED', ...override },
  { from: 'OVERRIDDEN', ...override },
]);

/** Members that the service adds to the recorded decision when it shows it. */
type Added =
  | 'tenant_id'
  | 'outcome'
  | 'unreviewed'
  | 'exception_id'
  | 'status'
  | 'created_at'
  | 'recorded_by'
  | 'provenance'
  | 'overrides';

/** The decision as recorded in the ledger. */
export type AiDecision = Readonly<Omit<ShownDecision, Added>>;

/** An override as recorded; `prior_outcome` is the recommendation or the outcome of the last override. */
export type AiOverride = Readonly<Omit<ShownOverride, 'recorded_by' | 'provenance'>> & {
  readonly decision_id: string;
};

/** A decision with everything that exports contain. */
export type ExportedDecision = AiDecision & Readonly<Pick<ShownDecision, 'recorded_by' | 'provenance' | 'overrides'>>;

/**
 * Recommendations against the member: CMS-4201-F covers denials, SB 1120 everything that denies, delays or modifies.
 * The default where the sender states nothing.
 */
const ADVERSE =
  /^(den(y|ied|ial)|reject(ed)?|delay(ed)?|modif(y|ied)|partial(ly)?|reduc(e|ed)|terminat(e|ed)|suspend(ed)?|not[ _-]approved)/i;

export const isAdverse = (type: AiDecisionType, recommendation: string): boolean =>
  type === 'DENIAL' || ADVERSE.test(recommendation.trim());

const isSaid = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

/** Returns why an adverse decision needs human review, or null: no reviewer, or a reviewer without a licence. */
export function whyUnreviewed(
  decision: Pick<AiDecision, 'adverse' | 'human_review'>,
): 'NO_REVIEWER' | 'REVIEWER_WITHOUT_LICENSE' | null {
  if (!decision.adverse) return null;
  const { reviewer } = decision.human_review;
  if (!reviewer) return 'NO_REVIEWER';
  return isSaid(reviewer.license_type) && isSaid(reviewer.license_number) ? null : 'REVIEWER_WITHOUT_LICENSE';
}

/** Returns the current outcome: that of the last override, else the model's recommendation. */
export const outcomeOf = (
  decision: Pick<AiDecision, 'recommendation'>,
  overrides: readonly Pick<AiOverride, 'outcome'>[],
): string => overrides.at(-1)?.outcome ?? decision.recommendation;
