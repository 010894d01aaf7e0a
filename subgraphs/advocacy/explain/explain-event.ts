import type { RequestContext } from '../../../shared/auth/context.js';
import { type AnswerDeps, answerSha256, basisRule, recordAnswer } from '../answers/index.js';
import type { CodeTables } from '../codes/index.js';
import { type EventReadDeps, type EventRequest, readEvent, readingFor } from '../facts/index.js';
import { type RuleBook, rulesForEvent } from '../rules/index.js';
import { codesInForce } from './codes-in-force.js';
import type { ExplainData } from './domain/explain-data.js';
import { explain, reasonRuleCodes } from './domain/explanation.js';
import type { Language } from './domain/sentences.js';
import type { ExplanationAnswer } from './schema/index.js';

export interface ExplainDeps extends AnswerDeps, EventReadDeps {
  readonly ruleBook: RuleBook;
  readonly explainData: ExplainData;
  readonly codeTables: CodeTables;
}

/**
 * Explains the outcome of an event to its member. The answer depends only on the event, the rules in force, the data and
 * the imported code tables.
 *
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function explainEvent(
  deps: ExplainDeps,
  context: RequestContext,
  request: EventRequest & { readonly language: Language },
): Promise<ExplanationAnswer> {
  const reading = readingFor(context, request);
  const { tenantId } = reading;
  const event = await readEvent(deps, context, reading, request.eventId);
  const codes = reasonRuleCodes(deps.explainData, event);
  const rules = await rulesForEvent(deps.ruleBook, tenantId, event, { codes, kinds: ['REASON_CODE'] });
  const data = await codesInForce(deps.explainData, deps.codeTables, event);
  const answer = explain(data, { event, rules, language: request.language });
  if (!request.record) return answer;
  const answer_sha256 = answerSha256(answer);
  const recorded = await recordAnswer(
    deps,
    {
      tenantId,
      eventId: event.event_id,
      kind: 'EXPLAIN',
      answerSha256: answer_sha256,
      rules: rules.map(basisRule),
      verdict: null,
    },
    [event],
  );
  return { ...answer, answer_sha256, recorded };
}
