import type { RequestContext } from '../../../shared/auth/context.js';
import type { Reading } from '../../../shared/auth/reading.js';
import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type AnswerDeps, type AnswerKeeper, answerSha256, basisRule, recordAnswer } from '../answers/index.js';
import type { RecordAnswer, StoodOn, StoodOnRule } from '../answers/schema.js';
import { type Facts, type MemberRecord, readFacts } from '../facts/domain/index.js';
import { type EventRecordDeps, type EventRequest, readEvent, readingFor, recordAround } from '../facts/index.js';
import type { RuleKind } from '../rules/domain/index.js';
import { type RuleBook, type RuleRevision, rulesForEvent } from '../rules/index.js';
import { appliesTo, ruleCodesOf } from './domain/applicability.js';
import { evaluateGuideline } from './domain/evaluate-guideline.js';
import { overallVerdict, VERDICT_RULE } from './domain/verdict.js';
import type { GuidelineAnswer, GuidelineResult } from './schema.js';

export interface CheckGuidelineDeps extends EventRecordDeps, AnswerDeps {
  readonly ruleBook: RuleBook;
  readonly keeper: AnswerKeeper;
}

const LIMITS =
  'This compares what is on the record with published rules. It is not legal or medical advice, and no decision on coverage.';

/**
 * Finds the guidelines that apply to an event and evaluates their criteria on its record. The same event, record and revisions
 * give the same answer. A new answer raises `advocacy.verdict`.
 *
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function checkGuideline(
  deps: CheckGuidelineDeps,
  context: RequestContext,
  request: EventRequest,
): Promise<GuidelineAnswer> {
  const reading = readingFor(context, request);
  const { tenantId } = reading;
  const event = await readEvent(deps, context, reading, request.eventId);
  const [record, rules] = await Promise.all([
    recordAround(deps, context, reading, event),
    rulesInForce(deps.ruleBook, tenantId, event, GUIDELINE_KINDS),
  ]);
  const guidelines = evaluatedGuidelines(rules, event, readFacts(record));
  const verdict = overallVerdict(guidelines.map((one) => one.verdict));
  const stood_on = basisOf(record, guidelines, evidenceIds(guidelines));
  const body = { verdict, guidelines, verdict_rule: VERDICT_RULE, stood_on };
  return finishAnswer(deps, reading, record, { kind: 'GUIDELINE', verdict, isRecorded: request.record }, body);
}

interface Finishing extends Pick<Parameters<AnswerKeeper['keep']>[0], 'kind' | 'verdict'> {
  /** True if the request asks for an entry in the ledger. */
  readonly isRecorded: boolean;
}

/** Completes an answer about the record of an event, stores that it was returned, and records it if asked. */
export async function finishAnswer<Body extends { readonly stood_on: StoodOn }>(
  deps: CheckGuidelineDeps,
  { tenantId }: Reading,
  record: MemberRecord,
  { kind, verdict, isRecorded }: Finishing,
  body: Body,
): Promise<Body & RecordAnswer> {
  const { event, others, consentWithheld } = record;
  const answer = {
    event_id: event.event_id,
    ...body,
    withheld: [event, ...others].flatMap(({ event_id, state }) => (state === 'INCLUDED' ? [] : [{ event_id, state }])),
    ...(consentWithheld === null ? {} : { withheld_by_consent: consentWithheld }),
    limits: LIMITS,
  };
  const answer_sha256 = answerSha256(answer);
  const { rules, events } = body.stood_on;
  const stored = { tenantId, eventId: event.event_id, kind, answerSha256: answer_sha256, rules, verdict };
  await deps.keeper.keep(stored);
  return { ...answer, answer_sha256, ...(isRecorded && { recorded: await recordAnswer(deps, stored, events) }) };
}

export const GUIDELINE_KINDS: readonly RuleKind[] = ['GUIDELINE', 'POLICY'];

/** Returns the rules of these kinds that are in force for the event and name one of its codes, in order of key. */
export function rulesInForce(
  ruleBook: RuleBook,
  tenantId: TenantId,
  event: LedgerEventView,
  kinds: readonly RuleKind[],
): Promise<readonly RuleRevision[]> {
  const { procedures, diagnoses, reasons } = ruleCodesOf(event);
  return rulesForEvent(ruleBook, tenantId, event, { codes: [...procedures, ...diagnoses, ...reasons], kinds });
}

/** Evaluates the guidelines that apply to the event's service and programme. */
export function evaluatedGuidelines(
  rules: readonly RuleRevision[],
  event: LedgerEventView,
  facts: Facts,
): readonly GuidelineResult[] {
  const codes = ruleCodesOf(event);
  return rules.flatMap((rule) =>
    GUIDELINE_KINDS.includes(rule.kind) && appliesTo(rule.codes, codes) ? (evaluateGuideline(rule, facts) ?? []) : [],
  );
}

const evidenceIds = (guidelines: readonly GuidelineResult[]): ReadonlySet<string> =>
  new Set(
    guidelines
      .flatMap(({ criteria }) =>
        criteria.flatMap(({ evidence, settled_by }) => [...evidence, ...(settled_by?.on_record ?? [])]),
      )
      .map(({ event_id }) => event_id),
  );

/** Returns the basis: the event, and the other events that gave evidence. */
export function basisOf(
  { event, others, capped }: MemberRecord,
  rules: readonly StoodOnRule[],
  eventIds: ReadonlySet<string>,
): StoodOn {
  const used = others.filter(({ event_id }) => eventIds.has(event_id));
  return {
    rules: rules.map(basisRule),
    events: [event, ...used].map(({ event_id, entry_hash }) => ({ event_id, entry_hash })),
    record_capped: capped,
  };
}
