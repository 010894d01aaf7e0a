import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { readingGrade } from '../../../../shared/text/reading-grade.js';
import { type EventCodes, eventCodes, type ReasonCode, ruleCodeOf } from '../event-codes.js';
import { type AppealRights, appealRights } from './appeal-rights.js';
import { type Decision, decisionOf, type Stance } from './decision.js';
import type { DataSource, ExplainData, Language } from './explain-data.js';
import { decimal, type Money, moneyInWords, moneyOf } from './money.js';
import { withoutQuotes } from './quote.js';
import {
  MOST_REASONS,
  payerCodeOf,
  plainCodeOf,
  type ReasonExplained,
  reasonsExplained,
  refusesPart,
} from './reasons.js';
import { type Say, sayIn, together } from './say.js';

/** A rule that an answer stands on. */
export interface RuleTold {
  readonly rule_id: string;
  readonly revision: number;
  readonly artifact_sha256: string;
  readonly codes: readonly string[];
  readonly title: string;
  /** Of the corpus that comes with the service: its words are for professionals, and ours stand in the data. */
  readonly shared: boolean;
}

/** What an answer stands on: a revision of a rule, or a data file of the service. */
export interface Citation {
  readonly rule_id: string;
  readonly revision: number;
  readonly sha256: string;
}

/** Decimal strings, as payloads have them; what the event does not tell is left out. */
export interface AmountsExplained {
  readonly currency: string;
  readonly charge?: string;
  readonly paid?: string;
  readonly member_owes?: string;
  readonly not_owed: string;
  readonly payer_reduction: string;
  readonly other: string;
  readonly correction: string;
  readonly ungrouped: string;
  readonly unexplained?: string;
}

/** Why an event came out as it did (api.md section 5). */
export interface Explanation {
  readonly event_id: string;
  readonly outcome: string | null;
  readonly summary: string;
  readonly reasons: readonly ReasonExplained[];
  readonly amounts?: AmountsExplained;
  readonly appeal_rights: AppealRights;
  readonly citations: readonly Citation[];
  readonly reading_grade: number;
  readonly language: Language;
}

export interface ExplainAsked {
  readonly event: LedgerEventView;
  /** Rules about its reason codes, in force at its effective time, in order of key. */
  readonly rules: readonly RuleTold[];
  readonly language: Language;
}

/** The same event, rules and data give the same answer: nothing else goes in. */
export function explain(data: ExplainData, { event, rules, language }: ExplainAsked): Explanation {
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
  const moneyTold = money.charge !== null || money.paid !== null || money.memberOwes !== null;
  return {
    event_id: event.event_id,
    outcome: event.outcome,
    summary,
    reasons,
    ...(moneyTold ? { amounts: amountsOf(money) } : {}),
    appeal_rights: rights,
    citations: citationsOf(data, codes, rules, rights),
    reading_grade: readingGrade(textsOf(summary, reasons, rights).map(withoutQuotes), language),
    language,
  };
}

/** What rules of the tenant's own say of the codes that they name. */
const ownWords = (rules: readonly RuleTold[]): ReadonlyMap<string, string> =>
  new Map(
    rules.filter(({ shared }) => !shared).flatMap(({ codes, title }) => codes.map((code) => [code, title] as const)),
  );

const ANSWERED: ReadonlySet<Stance> = new Set(['NO', 'YES', 'RETURNED', 'UNCLEAR']);

/** A claim's note is the doctor's to the plan; a decision's is the plan's, or at least about it. */
const isAboutDecision = ({ stance, asked }: Decision, outcome: string | null): boolean =>
  ANSWERED.has(stance) || asked === 'PRESCRIPTION' || (stance === 'OPEN' && outcome === 'pended');

interface Summarised {
  readonly event: LedgerEventView;
  readonly codes: EventCodes;
  readonly decision: Decision;
  readonly money: Money;
  /** Codes that neither a table nor a rule of the tenant's has. */
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
    count > MOST_REASONS && say('first_reasons', { count: MOST_REASONS }),
    count === 0 && (stance === 'NO' || stance === 'RETURNED') && say('no_reason'),
    count === 0 && stance === 'YES' && isSettled(money) && say('nothing_to_do'),
    unknown === 1 && say(count === 1 ? 'the_one_unknown' : 'one_unknown'),
    unknown > 1 && say('many_unknown', { count: unknown }),
    event.state === 'REDACTED' && say('hidden'),
  );
}

/** Nothing is left to pay, to ask for, or to add up. */
const isSettled = ({ memberOwes, ungrouped, unexplained }: Money): boolean =>
  (memberOwes ?? 0) === 0 && ungrouped === 0 && (unexplained ?? 0) === 0;

function amountsOf(money: Money): AmountsExplained {
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

/** Rules first, in the order given; then the files whose words the answer has. */
function citationsOf(
  data: ExplainData,
  { reasons }: EventCodes,
  rules: readonly RuleTold[],
  { applies }: AppealRights,
): Citation[] {
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

/** Everything that a member reads. */
const textsOf = (summary: string, reasons: readonly ReasonExplained[], { text, steps }: AppealRights): string[] => [
  summary,
  ...reasons.flatMap(({ meaning, why_it_happened, what_to_do }) => [meaning, why_it_happened, what_to_do]),
  text,
  ...steps.map((step) => step.text),
];

/** Reason codes of an event that are in no table, as rules name them. */
export const unknownCodesOf = (data: ExplainData, event: LedgerEventView): ReadonlySet<string> =>
  new Set(
    eventCodes(event)
      .reasons.filter((reason) => plainCodeOf(data, reason) === null)
      .map(ruleCodeOf),
  );

/** What rules are asked for by: the reason codes of an event, as rules name them. One that is in no table may be a payer's own. */
export const reasonRuleCodes = (data: ExplainData, event: LedgerEventView): readonly string[] => {
  const reasons = eventCodes(event).reasons.slice(0, MOST_REASONS);
  const own = reasons.filter((reason) => plainCodeOf(data, reason) === null);
  return [...new Set([...reasons.map(ruleCodeOf), ...own.map(payerCodeOf)])];
};
