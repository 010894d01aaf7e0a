import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { idTimeMs, isIdOf } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { type AiDecision, type AiHumanReview, type AiIndividualized, isAdverse } from '../domain/ai-decision.js';
import { decisionEntry } from '../domain/ai-entry.js';
import { type AiDeps, appendAiEntry } from './ai-append.js';
import { deriveEntry } from './ai-derive.js';
import { type AiDecisionView, getAiDecision } from './ai-read.js';
import type { TenantContext } from './tenant-context.js';

type Filled = 'decision_id' | 'input_sha256' | 'human_review' | 'adverse' | 'individualized' | 'decided_at';

/** What a caller tells of a decision; exactly one of the two inputs. */
export interface AiDecisionInput extends Omit<AiDecision, Filled> {
  readonly input_sha256?: string;
  /** Hashed, and not kept. */
  readonly inputs?: JsonValue;
  readonly human_review?: AiHumanReview;
  readonly adverse?: boolean;
  readonly individualized?: Partial<AiIndividualized>;
  readonly decided_at?: string;
}

/**
 * Records a decision: one entry of `ai-provenance`. An adverse one without a licensed reviewer is recorded all the same and
 * opens AI_ADVERSE_UNREVIEWED before the answer.
 *
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE, UNAVAILABLE when a write failed.
 */
export async function recordAiDecision(
  deps: AiDeps,
  context: RequestContext,
  input: AiDecisionInput,
): Promise<AiDecisionView> {
  const tenantId = authorise(context, 'ai-provenance:write');
  const tenant = await deps.contexts.of(tenantId);
  const { ids } = forWork(deps, context, 'record-ai-decision');
  const decision = decisionOf(input, ids.next('aiDecision'));
  await refuseUnknownEvent(tenant, decision.event_id);
  const recorded_by = context.principal.keyId;
  const place = await appendAiEntry(deps, tenant, decisionEntry(decision, { recorded_by }), ids);
  await deriveEntry(deps, tenantId, place, { kind: 'DECISION', decision, recorded_by });
  const made = await getAiDecision(deps, tenant, decision.decision_id);
  if (!made) throw new Error('a decision was recorded and is not found');
  return made;
}

/** The decision as it goes into the ledger: the same for the same request, whenever it is run. */
function decisionOf({ inputs, input_sha256, ...input }: AiDecisionInput, decisionId: string): AiDecision {
  return {
    ...input,
    decision_id: decisionId,
    input_sha256: inputHash(inputs, input_sha256),
    human_review: input.human_review ?? { required: false },
    adverse: input.adverse ?? isAdverse(input.decision_type, input.recommendation),
    individualized: {
      medical_history: input.individualized?.medical_history ?? false,
      provider_recommendation: input.individualized?.provider_recommendation ?? false,
      clinical_notes: input.individualized?.clinical_notes ?? false,
    },
    decided_at: input.decided_at ?? isoTime(idTimeMs(decisionId)),
  };
}

/** SHA-256 of RFC 8785 of what was given to the model, or the sender's own hash of it. */
function inputHash(inputs: JsonValue | undefined, given: string | undefined): string {
  if ((inputs === undefined) === (given === undefined)) {
    const errors = [fault('/input_sha256', 'one_of', 'Exactly one of input_sha256 and inputs must be given.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  return given ?? sha256Hex(canonicalJson(inputs));
}

/** An event that is not there would lead a reader nowhere; what is not an event of ours is named by subject_ref. */
async function refuseUnknownEvent(tenant: TenantContext, eventId: string | undefined): Promise<void> {
  if (eventId === undefined) return;
  if (isIdOf('event', eventId) && (await tenant.ledger.byEventId(eventId)) !== null) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/event_id', 'unknown', 'No such event.')] });
}
