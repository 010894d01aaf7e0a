import type { RequestContext } from '../../../shared/auth/context.js';
import type { Withheld } from '../../../shared/consent/withheld.js';
import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { eventCodes } from '../domain/event-codes.js';
import type { Facts } from '../domain/facts/fact-value.js';
import { readFacts } from '../domain/facts/read-facts.js';
import type { MemberRecord } from '../domain/facts/record.js';
import { askedCodes, speaksOf } from '../domain/guideline/asked-codes.js';
import { type JudgedGuideline, judgeGuideline } from '../domain/guideline/judge-guideline.js';
import { overallVerdict, VERDICT_RULE, type Verdict } from '../domain/guideline/verdict.js';
import type { RuleKind } from '../domain/rules/rule-kinds.js';
import { answerSha256 } from './answer-hash.js';
import { type EventAsked, type EventRecordDeps, eventJudged, readingFor, recordAround } from './event-record.js';
import type { AnswerKeeper, KeepAnswerDeps } from './keep-answer.js';
import type { StoodOnRule } from './ports/answer-store.js';
import type { RuleBook, RuleRevision } from './ports/rule-book.js';
import { type RecordedAnswer, recordAnswer, type StoodOnEvent } from './record-answer.js';

export interface CheckGuidelineDeps extends EventRecordDeps, KeepAnswerDeps {
  readonly ruleBook: RuleBook;
  readonly keeper: AnswerKeeper;
}

/** What an answer stood on: revisions, and entries of the ledger by their hash. */
export interface StoodOn {
  readonly rules: readonly StoodOnRule[];
  readonly events: readonly StoodOnEvent[];
  /** The member has more events than were read: the newest ones were. */
  readonly record_capped: boolean;
}

/** What of the record this reader could not see. */
export interface WithheldEvent {
  readonly event_id: string;
  readonly state: 'REDACTED' | 'DISPOSED';
}

export interface GuidelineAnswer {
  readonly event_id: string;
  readonly verdict: Verdict;
  readonly guidelines: readonly JudgedGuideline[];
  readonly verdict_rule: string;
  readonly stood_on: StoodOn;
  readonly withheld: readonly WithheldEvent[];
  /** Other events of the record that consent keeps out: told for a stated purpose alone. */
  readonly withheld_by_consent?: Withheld;
  readonly limits: string;
  readonly answer_sha256: string;
  readonly recorded?: RecordedAnswer;
}

export const LIMITS =
  'This compares what is on the record with published rules. It is not legal or medical advice, and no decision on coverage.';

/**
 * Which guidelines apply to an event, and what its record says to each criterion. The same event, record and revisions give
 * the same answer. Raises `advocacy.verdict` when the answer is new; an entry of the ledger when asked for.
 * @throws NOT_FOUND DISPOSED FORBIDDEN INTEGRITY_FAILURE
 */
export async function checkGuideline(
  deps: CheckGuidelineDeps,
  context: RequestContext,
  asked: EventAsked,
): Promise<GuidelineAnswer> {
  const reading = readingFor(context, asked);
  const { tenantId } = reading;
  const event = await eventJudged(deps, context, reading, asked.eventId);
  const [record, rules] = await Promise.all([
    recordAround(deps, context, reading, event),
    rulesInForce(deps.ruleBook, tenantId, event, GUIDELINE_KINDS),
  ]);
  const guidelines = judgedGuidelines(rules, event, readFacts(record));
  const answer = answerOf(record, guidelines);
  const given = {
    tenantId,
    eventId: answer.event_id,
    kind: 'GUIDELINE',
    answerSha256: answer.answer_sha256,
    rules: answer.stood_on.rules,
    verdict: answer.verdict,
  } as const;
  await deps.keeper.keep(given);
  if (!asked.record) return answer;
  return { ...answer, recorded: await recordAnswer(deps, given, answer.stood_on.events) };
}

export const GUIDELINE_KINDS: readonly RuleKind[] = ['GUIDELINE', 'POLICY'];

/** Rules of these kinds that are in force at the event's effective time and name one of its codes, in order of their keys. */
export async function rulesInForce(
  ruleBook: RuleBook,
  tenantId: TenantId,
  event: LedgerEventView,
  kinds: readonly RuleKind[],
): Promise<readonly RuleRevision[]> {
  const { procedures, diagnoses, reasons } = askedCodes(event);
  const codes = [...procedures, ...diagnoses, ...reasons];
  if (codes.length === 0) return [];
  const { program, jurisdiction } = eventCodes(event);
  const at = new Date(event.effective_at ?? event.recorded_at);
  return ruleBook.inForce(tenantId, { codes, kinds, at, program, jurisdiction });
}

/** Those of the rules that speak of the event's service and are for its programme, judged. */
export function judgedGuidelines(
  rules: readonly RuleRevision[],
  event: LedgerEventView,
  facts: Facts,
): readonly JudgedGuideline[] {
  const codes = askedCodes(event);
  return rules.flatMap((rule) => {
    if (!GUIDELINE_KINDS.includes(rule.kind) || !speaksOf(rule.codes, codes)) return [];
    return judgeGuideline({ ...rule, criteria: rule.criteria as unknown as JsonValue }, facts) ?? [];
  });
}

function answerOf(record: MemberRecord, guidelines: readonly JudgedGuideline[]): GuidelineAnswer {
  const answer = {
    event_id: record.event.event_id,
    verdict: overallVerdict(guidelines.map(({ verdict }) => verdict)),
    guidelines,
    verdict_rule: VERDICT_RULE,
    stood_on: stoodOn(record, guidelines, evidenceIds(guidelines)),
    withheld: withheldOf(record),
    ...byConsent(record),
    limits: LIMITS,
  };
  return { ...answer, answer_sha256: answerSha256(answer) };
}

const evidenceIds = (guidelines: readonly JudgedGuideline[]): ReadonlySet<string> =>
  new Set(
    guidelines
      .flatMap(({ criteria }) =>
        criteria.flatMap(({ evidence, settled_by }) => [...evidence, ...(settled_by?.on_record ?? [])]),
      )
      .map(({ event_id }) => event_id),
  );

/** The event itself, and each other that evidence was drawn from: events that said nothing change no answer. */
export function stoodOn(
  { event, others, capped }: MemberRecord,
  rules: readonly StoodOnRule[],
  eventIds: ReadonlySet<string>,
): StoodOn {
  const used = others.filter(({ event_id }) => eventIds.has(event_id));
  return {
    rules: rules.map(({ rule_id, revision, artifact_sha256 }) => ({ rule_id, revision, artifact_sha256 })),
    events: [event, ...used].map(({ event_id, entry_hash }) => ({ event_id, entry_hash })),
    record_capped: capped,
  };
}

/** What consent keeps out, where it does. */
export const byConsent = ({ consentWithheld }: MemberRecord): { readonly withheld_by_consent?: Withheld } =>
  consentWithheld === null ? {} : { withheld_by_consent: consentWithheld };

export function withheldOf({ event, others }: MemberRecord): readonly WithheldEvent[] {
  return [event, ...others].flatMap(({ event_id, state }) => (state === 'INCLUDED' ? [] : [{ event_id, state }]));
}
