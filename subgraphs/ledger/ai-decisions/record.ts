import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { type ErrorCode, isErrorCode } from '../../../shared/errors/registry.js';
import { type Ids, idTimeMs, isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject, JsonValue } from '../../../shared/json/strict-json.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { type IngestDeps, ingestEvents, type TenantContext, type TenantContexts } from '../append/index.js';
import { type AiDeriveDeps, deriveEntry } from './derive.js';
import { AI_DECISION_MACHINE, type AiDecision, type AiOverride, isAdverse } from './domain/decision.js';
import { decisionEntry, overrideEntry } from './domain/entry.js';
import type { AiPlace } from './ports.js';
import { type AiReadDeps, getAiDecision } from './read.js';
import type { AiDecisionInput, AiOverrideInput, AiDecision as Shown } from './schema/decision.js';

export interface AiDeps extends IngestDeps, WorkDeps, AiDeriveDeps, AiReadDeps {
  readonly contexts: TenantContexts;
}

/**
 * Records a decision as one entry of `ai-provenance`. Also records an adverse one without a licensed reviewer, and
 * opens AI_ADVERSE_UNREVIEWED before the answer.
 *
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE, UNAVAILABLE if a write failed.
 */
export async function recordAiDecision(deps: AiDeps, context: RequestContext, input: AiDecisionInput): Promise<Shown> {
  const tenantId = authorise(context, 'ai-provenance:write');
  const tenant = await deps.contexts.of(tenantId);
  const { ids } = forWork(deps, context, 'record-ai-decision');
  const decision = decisionOf(input, ids.next('aiDecision'));
  await refuseUnknownEvent(tenant, decision.event_id);
  const recorded_by = context.principal.keyId;
  const place = await appendAiEntry(deps, tenant, decisionEntry(decision, { recorded_by }), ids);
  await deriveEntry(deps, tenantId, place, { kind: 'DECISION', decision, recorded_by });
  const made = await getAiDecision(deps, tenant, decision.decision_id);
  if (!made) throw new Error('a recorded decision is missing from its index');
  return made;
}

/** Returns the decision to record: the same for every attempt of a request. */
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

/** SHA-256 of RFC 8785 of the model's input, or the sender's own hash of it. */
function inputHash(inputs: JsonValue | undefined, given: string | undefined): string {
  if ((inputs === undefined) === (given === undefined)) {
    const errors = [fault('/input_sha256', 'one_of', 'Give exactly one of input_sha256 and inputs.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
  return given ?? sha256Hex(canonicalJson(inputs));
}

/** Rejects an unknown event, because readers could not follow the reference; subject_ref names other things. */
async function refuseUnknownEvent(tenant: TenantContext, eventId: string | undefined): Promise<void> {
  if (eventId === undefined) return;
  if (isIdOf('event', eventId) && (await tenant.ledger.byEventId(eventId)) !== null) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/event_id', 'unknown', 'There is no such event.')] });
}

/**
 * Overrides a decision: appends another entry of `ai-provenance` that names the previous outcome. The decision's entry
 * and all earlier overrides stay unchanged.
 *
 * @throws NOT_FOUND, PAYLOAD_TOO_LARGE, UNAVAILABLE if a write failed.
 */
export async function overrideAiDecision(
  deps: AiDeps,
  context: RequestContext,
  decisionId: string,
  input: AiOverrideInput,
): Promise<Shown> {
  const tenantId = authorise(context, 'ai-provenance:write');
  const tenant = await deps.contexts.of(tenantId);
  const { ids } = forWork(deps, context, 'override-ai-decision');
  const overrideId = ids.next('aiOverride');
  const current = await getAiDecision(deps, tenant, decisionId);
  if (!current) throw problem('NOT_FOUND');
  // The same request was retried after its answer was lost.
  if (current.overrides.some(({ override_id }) => override_id === overrideId)) return current;
  transition(AI_DECISION_MACHINE, current.status, 'override');
  const override: AiOverride = {
    ...input,
    override_id: overrideId,
    decision_id: decisionId,
    prior_outcome: current.outcome,
    overridden_at: isoTime(idTimeMs(overrideId)),
  };
  const recorded_by = context.principal.keyId;
  const place = await appendAiEntry(deps, tenant, overrideEntry(override, current.member_id, { recorded_by }), ids);
  await deriveEntry(deps, tenantId, place, { kind: 'OVERRIDE', override, recorded_by });
  const overridden = await getAiDecision(deps, tenant, decisionId);
  if (!overridden) throw new Error('an overridden decision is missing from its index');
  return overridden;
}

/**
 * Appends one entry to `ai-provenance` and returns its place; a retry of the same request finds its entry.
 *
 * @throws VALIDATION_ERROR or PAYLOAD_TOO_LARGE for content that no record can hold, UNAVAILABLE if a write failed.
 */
async function appendAiEntry(deps: AiDeps, tenant: TenantContext, envelope: JsonObject, ids: Ids): Promise<AiPlace> {
  const { results } = await ingestEvents(deps, tenant, { items: [envelope], ids, writer: 'SERVICE' });
  const [result] = results;
  if (result?.error) {
    const { code, message, errors } = result.error;
    const known: ErrorCode = isErrorCode(code) ? code : 'VALIDATION_ERROR';
    throw problem(known, { message, ...(errors ? { errors } : {}) });
  }
  const { event_id, sequence, entry_hash, accepted_at } = result ?? {};
  if (event_id === undefined || sequence === undefined || entry_hash === undefined || accepted_at === undefined) {
    throw new Error('an accepted entry has no place');
  }
  return { seq: sequence, event_id, entry_hash, recorded_at: new Date(accepted_at) };
}
