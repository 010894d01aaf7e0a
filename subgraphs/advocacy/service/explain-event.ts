import type { RequestContext } from '../../../shared/auth/context.js';
import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { eventCodes } from '../domain/event-codes.js';
import type { ExplainData, Language } from '../domain/explain/explain-data.js';
import { type Explanation, explain, reasonRuleCodes } from '../domain/explain/explanation.js';
import { answerSha256 } from './answer-hash.js';
import { type EventAsked, type EventJudgedDeps, eventJudged, readingFor } from './event-record.js';
import type { KeepAnswerDeps } from './keep-answer.js';
import type { RuleBook, RuleRevision } from './ports/rule-book.js';
import { type RecordedAnswer, recordAnswer } from './record-answer.js';

export interface ExplainDeps extends KeepAnswerDeps, EventJudgedDeps {
  readonly ruleBook: RuleBook;
  readonly explainData: ExplainData;
}

export interface ExplanationGiven extends Explanation {
  readonly answer_sha256?: string;
  readonly recorded?: RecordedAnswer;
}

/**
 * Why an event came out as it did, for the person that it is about. The same event, rules in force and data give the same
 * answer. Raises nothing; an entry of the ledger when asked for.
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function explainEvent(
  deps: ExplainDeps,
  context: RequestContext,
  asked: EventAsked & { readonly language: Language },
): Promise<ExplanationGiven> {
  const reading = readingFor(context, asked);
  const { tenantId } = reading;
  const event = await eventJudged(deps, context, reading, asked.eventId);
  const rules = await rulesOf(deps, tenantId, event);
  const answer = explain(deps.explainData, { event, rules, language: asked.language });
  if (!asked.record) return answer;
  const answer_sha256 = answerSha256(answer);
  const recorded = await recordAnswer(
    deps,
    {
      tenantId,
      eventId: event.event_id,
      kind: 'EXPLAIN',
      answerSha256: answer_sha256,
      rules: rules.map(({ rule_id, revision, artifact_sha256 }) => ({ rule_id, revision, artifact_sha256 })),
      verdict: null,
    },
    [{ event_id: event.event_id, entry_hash: event.entry_hash }],
  );
  return { ...answer, answer_sha256, recorded };
}

async function rulesOf(
  { ruleBook, explainData }: ExplainDeps,
  tenantId: TenantId,
  event: LedgerEventView,
): Promise<readonly RuleRevision[]> {
  const codes = reasonRuleCodes(explainData, event);
  if (codes.length === 0) return [];
  const { program, jurisdiction } = eventCodes(event);
  const at = new Date(event.effective_at ?? event.recorded_at);
  return ruleBook.inForce(tenantId, { codes, kinds: ['REASON_CODE'], at, program, jurisdiction });
}
