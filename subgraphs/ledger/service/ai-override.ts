import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { idTimeMs } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { AI_DECISION_MACHINE, type AiOverride } from '../domain/ai-decision.js';
import { overrideEntry } from '../domain/ai-entry.js';
import { type AiDeps, appendAiEntry } from './ai-append.js';
import { deriveEntry } from './ai-derive.js';
import { type AiDecisionView, getAiDecision } from './ai-read.js';

export interface AiOverrideInput {
  readonly outcome: string;
  readonly reason: string;
  readonly overridden_by: string;
  readonly credentials?: string;
}

/**
 * Overrides a decision: another entry of `ai-provenance`, which names what stood before. The decision's own entry stays as
 * it is, and so does every earlier override.
 *
 * @throws NOT_FOUND, PAYLOAD_TOO_LARGE, UNAVAILABLE when a write failed.
 */
export async function overrideAiDecision(
  deps: AiDeps,
  context: RequestContext,
  decisionId: string,
  input: AiOverrideInput,
): Promise<AiDecisionView> {
  const tenantId = authorise(context, 'ai-provenance:write');
  const tenant = await deps.contexts.of(tenantId);
  const { ids } = forWork(deps, context, 'override-ai-decision');
  const overrideId = ids.next('aiOverride');
  const standing = await getAiDecision(deps, tenant, decisionId);
  if (!standing) throw problem('NOT_FOUND');
  // The same request, run again after its answer was lost.
  if (standing.overrides.some(({ override_id }) => override_id === overrideId)) return standing;
  transition(AI_DECISION_MACHINE, standing.status, 'override');
  const override: AiOverride = {
    ...input,
    override_id: overrideId,
    decision_id: decisionId,
    prior_outcome: standing.outcome,
    overridden_at: isoTime(idTimeMs(overrideId)),
  };
  const recorded_by = context.principal.keyId;
  const place = await appendAiEntry(deps, tenant, overrideEntry(override, standing.member_id, { recorded_by }), ids);
  await deriveEntry(deps, tenantId, place, { kind: 'OVERRIDE', override, recorded_by });
  const overridden = await getAiDecision(deps, tenant, decisionId);
  if (!overridden) throw new Error('a decision was overridden and is not found');
  return overridden;
}
