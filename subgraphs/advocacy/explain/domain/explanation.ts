import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { readingGrade } from '../../../../shared/text/reading-grade.js';
import { type EventCodes, eventCodes, type ReasonCode, ruleCodeOf } from '../../facts/domain/index.js';
import type {
  AppealRightsShown,
  ExplainCitation,
  ExplainedAmounts,
  ExplainedReason,
  ExplanationAnswer,
} from '../schema/index.js';
import { appealRights } from './appeal-rights.js';
import { type Decision, decisionOf, type Stance } from './decision.js';
import type { DataSource, ExplainData } from './explain-data.js';
import { decimal, type Money, moneyInWords, moneyOf } from './money.js';
import { withoutQuotes } from './quote.js';
import { MAX_REASONS, payerCodeOf, plainCodeOf, reasonsExplained, refusesPart } from './reasons.js';
import { type Language, type Say, sayIn, together } from './sentences.js';

/** A rule that an answer uses. */
interface ExplainRule {
  readonly rule_id: string;
  readonly revision: number;
  readonly artifact_sha256: string;
  readonly codes: readonly string[];
  readonly title: string;
  /** A rule of the shared corpus. Its text is for professionals; the plain text is in the data. */
  readonly shared: boolean;
}

interface ExplainAsked {
  readonly event: LedgerEventView;
  /** Rules for its reason codes in force at its effective time, in order of key. */
  readonly rules: readonly ExplainRule[];
  readonly language: Language;
}

/** Explains an event. The answer depends only on the event, the rules and the data. */
export function explain(data: ExplainData, { event, rules, language }: ExplainAsked): ExplanationAnswer {
  const say = sayIn(data.phrases, language);
  const codes = eventCodes(event);
  const decision = decisionOf(event, {
    any: codes.reasons.length > 0,
    refuse: codes.reasons.some((reason) => refusesPart(data, reason)),
  });
  const money = moneyOf(codes, event.payload);
  const rights = appealRights(
    data,
    {
      decision,
      event,
      program: codes.program,
      programCode: codes.program_code,
      jurisdiction: codes.jurisdiction,
      isPharmacy: event.event_family?.toLowerCase() === 'pharmacy',
    },
    say,
    language,
  );
  const ruleWords = ownWords(rules);
  const reasons = reasonsExplained(
    data,
    {
      codes,
      currency: money.currency,
      firstDeadline: rights.first_deadline,
      ruleWords,
      withWords: isAboutDecision(decision, codes.outcome),
      hasSteps: rights.steps.length > 0,
      isPrescription: decision.asked === 'PRESCRIPTION',
    },
    say,
    language,
  );
  const isUnknown = (reason: ReasonCode): boolean =>
    plainCodeOf(data, reason) === null && !ruleWords.has(ruleCodeOf(reason)) && !ruleWords.has(payerCodeOf(reason));
  const unknown = codes.reasons.filter(isUnknown).length;
  const summary = summaryOf({ event, codes, decision, money, unknown }, say);
  const hasMoney = money.charge !== null || money.paid !== null || money.memberOwes !== null;
  return {
    event_id: event.event_id,
    outcome: event.outcome,
    summary,
    reasons,
    ...(hasMoney ? { amounts: amountsOf(money) } : {}),
    appeal_rights: rights,
    citations: citationsOf(data, codes, rules, rights),
    reading_grade: readingGrade(textsOf(summary, reasons, rights).map(withoutQuotes), language),
    language,
  };
}

/** Returns the titles of the tenant's own rules by the codes they name. */
const ownWords = (rules: readonly ExplainRule[]): ReadonlyMap<string, string> =>
  new Map(
    rules.filter(({ shared }) => !shared).flatMap(({ codes, title }) => codes.map((code) => [code, title] as const)),
  );

const ANSWERED: ReadonlySet<Stance> = new Set(['NO', 'YES', 'RETURNED', 'UNCLEAR']);

/** Returns whether the free text is about the decision; a claim's note is the doctor's message to the plan. */
const isAboutDecision = ({ stance, asked }: Decision, outcome: string | null): boolean =>
  ANSWERED.has(stance) || asked === 'PRESCRIPTION' || (stance === 'OPEN' && outcome === 'pended');

interface Summarised {
  readonly event: LedgerEventView;
  readonly codes: EventCodes;
  readonly decision: Decision;
  readonly money: Money;
  /** Number of codes that neither a table nor a tenant rule has. */
  readonly unknown: number;
}

function summaryOf({ event, codes, decision, money, unknown }: Summarised, say: Say): string {
  const { stance, sentence, asked } = decision;
  const count = codes.reasons.length;
  return together(
    say(sentence),
    (asked === 'CLAIM' || asked === 'DRUG') && moneyInWords(money, say),
    count === 1 && say('one_reason'),
    count > 1 && say('many_reasons', { count }),
    count > MAX_REASONS && say('first_reasons', { count: MAX_REASONS }),
    count === 0 && (stance === 'NO' || stance === 'RETURNED') && say('no_reason'),
    count === 0 && stance === 'YES' && isSettled(money) && say('nothing_to_do'),
    unknown === 1 && say(count === 1 ? 'the_one_unknown' : 'one_unknown'),
    unknown > 1 && say('many_unknown', { count: unknown }),
    event.state === 'REDACTED' && say('hidden'),
  );
}

/** Returns whether nothing is owed and the amounts balance. */
const isSettled = ({ memberOwes, ungrouped, unexplained }: Money): boolean =>
  (memberOwes ?? 0) === 0 && ungrouped === 0 && (unexplained ?? 0) === 0;

function amountsOf(money: Money): ExplainedAmounts {
  const { currency, charge, paid, memberOwes, unexplained } = money;
  return {
    currency,
    ...(charge === null ? {} : { charge: decimal(charge) }),
    ...(paid === null ? {} : { paid: decimal(paid) }),
    ...(memberOwes === null ? {} : { member_owes: decimal(memberOwes) }),
    not_owed: decimal(money.writtenOff),
    payer_reduction: decimal(money.payerReduction),
    other: decimal(money.other),
    correction: decimal(money.correction),
    ungrouped: decimal(money.ungrouped),
    ...(unexplained === null ? {} : { unexplained: decimal(unexplained) }),
  };
}

/** Returns the rules in the given order, then the data files with texts that the answer uses. */
function citationsOf(
  data: ExplainData,
  { reasons }: EventCodes,
  rules: readonly ExplainRule[],
  { applies }: AppealRightsShown,
): ExplainCitation[] {
  const lists = new Set(reasons.map(({ system }) => system));
  const sources: DataSource[] = [
    ...[...data.lists].filter(([system]) => lists.has(system)).flatMap(([, list]) => list.sources),
    data.phrases.source,
    ...(applies === false ? [] : [data.rights.source]),
  ];
  return [
    ...rules.map(({ rule_id, revision, artifact_sha256: sha256 }) => ({ rule_id, revision, sha256 })),
    ...sources.map(({ id: rule_id, revision, sha256 }) => ({ rule_id, revision, sha256 })),
  ];
}

/** Returns every text that a member reads. */
const textsOf = (
  summary: string,
  reasons: readonly ExplainedReason[],
  { text, steps }: AppealRightsShown,
): string[] => [
  summary,
  ...reasons.flatMap(({ meaning, why_it_happened, what_to_do }) => [meaning, why_it_happened, what_to_do]),
  text,
  ...steps.map((step) => step.text),
];

/** Returns the reason codes of an event that no table has, in the notation of rules. */
export const unknownCodesOf = (data: ExplainData, event: LedgerEventView): ReadonlySet<string> =>
  new Set(
    eventCodes(event)
      .reasons.filter((reason) => plainCodeOf(data, reason) === null)
      .map(ruleCodeOf),
  );

/** Returns the codes to look rules up by: the reason codes of an event; an unknown one may be the payer's own. */
export const reasonRuleCodes = (data: ExplainData, event: LedgerEventView): readonly string[] => {
  const reasons = eventCodes(event).reasons.slice(0, MAX_REASONS);
  const own = reasons.filter((reason) => plainCodeOf(data, reason) === null);
  return [...new Set([...reasons.map(ruleCodeOf), ...own.map(payerCodeOf)])];
};
