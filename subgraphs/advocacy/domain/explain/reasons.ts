import { type AdjustmentGroup, type EventCodes, type ReasonCode, ruleCodeOf } from '../event-codes.js';
import type { ExplainData, Language, PlainCode } from './explain-data.js';
import { amountInWords } from './money.js';
import { quoted } from './quote.js';
import { type Say, together } from './say.js';

/** One reason of an event, explained (api.md section 5). */
export interface ReasonExplained {
  readonly code: string;
  readonly code_system: string;
  readonly group?: AdjustmentGroup;
  readonly meaning: string;
  readonly why_it_happened: string;
  readonly what_to_do: string;
  /** The last day of a first appeal, where one would help with this reason. */
  readonly deadline?: string;
}

/** Shown of one event; the summary tells when there are more. */
export const MOST_REASONS = 50;

/** The code of what the sender wrote in words. */
export const WORDS_CODE = 'TEXT';
export const WORDS_SYSTEM = 'SENDER_WORDS';

/** Ways out that end in an appeal where they lead nowhere else. */
const APPEALABLE: ReadonlySet<string> = new Set([
  'clinical_appeal',
  'administrative_appeal',
  'benefit_appeal',
  'reconsideration',
  'correct_and_resubmit',
  'resend_request',
  'bill_other_payer',
  'drug_exception',
]);

/** Ways out of a no on what was asked for; what is only to be corrected, billed elsewhere or priced is none. */
const REFUSALS: ReadonlySet<string> = new Set([
  'clinical_appeal',
  'administrative_appeal',
  'benefit_appeal',
  'next_level_appeal',
]);

/** Categories by which a line is turned down though its way out begins with a new look or a correction. */
const REFUSING: ReadonlySet<string> = new Set(['medical_necessity', 'experimental', 'authorization', 'eligibility']);

/**
 * Whether a reason says no to a part of what was asked for: an adjustment (CARC) that takes an amount off for a reason that can
 * be appealed. An amount of zero, and a correction (CR), take nothing.
 */
export function refusesPart(data: ExplainData, reason: ReasonCode): boolean {
  const plain = reason.system === 'CARC' ? plainCodeOf(data, reason) : null;
  if (plain === null || plain.isNote || reason.group === 'CR') return false;
  if (reason.cents !== null && reason.cents <= 0) return false;
  return REFUSALS.has(plain.path) || REFUSING.has(plain.category) || ALWAYS_DENY.has(reason.code);
}

/** A1: the claim or service is denied, and a remark says why. */
const ALWAYS_DENY: ReadonlySet<string> = new Set(['A1']);

/** How a rule of the tenant's own names a code that is in no table: the payer's. */
export const payerCodeOf = ({ code }: Pick<ReasonCode, 'code'>): string => `PAYER/${code.toUpperCase()}`;

export interface ReasonsAsked {
  readonly codes: EventCodes;
  readonly currency: string;
  /** See AppealRights.first_deadline. */
  readonly firstDeadline: string | null;
  /** What a rule of the tenant's own says of a code, by `SYSTEM/CODE`. */
  readonly ruleWords: ReadonlyMap<string, string>;
  /** Whether the sender's free words are about the decision. */
  readonly withWords: boolean;
  /** Whether the answer has steps of an appeal to point to. */
  readonly hasSteps: boolean;
  /** What a prescriber and a pharmacy write to each other: the plan can't tell what it means. */
  readonly isPrescription: boolean;
}

export function reasonsExplained(
  data: ExplainData,
  asked: ReasonsAsked,
  say: Say,
  language: Language,
): ReasonExplained[] {
  const explained = asked.codes.reasons
    .slice(0, MOST_REASONS)
    .map((reason) => explainReason(data, reason, asked, say, language));
  const { rationale } = asked.codes;
  if (rationale === null || !asked.withWords) return explained;
  return [
    ...explained,
    {
      code: WORDS_CODE,
      code_system: WORDS_SYSTEM,
      meaning: say('sender_wrote', { quote: quoted(rationale) }),
      why_it_happened: textOf(data.phrases.why, 'sender_words', language),
      what_to_do: textOf(data.phrases.whatToDo, asked.isPrescription ? 'ask_prescriber' : 'ask_words', language),
    },
  ];
}

/** The table's entry of a code; null for one that is unknown. */
export const plainCodeOf = (
  data: ExplainData,
  { system, code }: Pick<ReasonCode, 'system' | 'code'>,
): PlainCode | null => data.lists.get(system)?.codes.get(code) ?? null;

function explainReason(
  data: ExplainData,
  reason: ReasonCode,
  asked: ReasonsAsked,
  say: Say,
  language: Language,
): ReasonExplained {
  const plain = plainCodeOf(data, reason);
  const { phrases } = data;
  const { currency, firstDeadline, ruleWords } = asked;
  const words = ruleWords.get(ruleCodeOf(reason)) ?? (plain === null ? ruleWords.get(payerCodeOf(reason)) : undefined);
  const category = plain?.category ?? unknownCategory(data, reason, asked);
  const path = plain === null ? (asked.isPrescription ? 'ask_prescriber' : 'ask') : pathFor(plain.path, reason, asked);
  return {
    code: reason.code,
    code_system: reason.system,
    ...(reason.group === null ? {} : { group: reason.group }),
    meaning: together(
      plain === null ? words === undefined && say('unknown_code') : plain.meaning[language],
      plain !== null && whenOld(plain, say),
      words !== undefined && say('rule_says', { quote: quoted(words) }),
    ),
    why_it_happened: together(
      textOf(phrases.why, category, language),
      reason.cents !== null && say('reason_amount', { amount: amountInWords(reason.cents, currency) }),
      reason.group !== null && phrases.groups[reason.group][language],
    ),
    what_to_do: textOf(phrases.whatToDo, path, language),
    ...(firstDeadline !== null && APPEALABLE.has(path) && plain?.isNote !== true ? { deadline: firstDeadline } : {}),
  };
}

function unknownCategory({ lists }: ExplainData, { system }: ReasonCode, { isPrescription }: ReasonsAsked): string {
  if (isPrescription) return 'prescription_list';
  return lists.has(system) ? 'unknown' : 'other_list';
}

/** The group says who an amount falls to: a member who owes it has something to check, one who does not has nothing to pay. */
function pathFor(path: string, { group }: ReasonCode, { hasSteps }: ReasonsAsked): string {
  if (path === 'see_rights' && !hasSteps) return 'see_letter';
  if (path === 'none' && group === 'PR') return 'bill_patient';
  if (path === 'bill_patient' && (group === 'CO' || group === 'PI')) return 'none';
  return path;
}

function whenOld({ replacedBy }: PlainCode, say: Say): string {
  if (replacedBy === null) return '';
  return replacedBy.length === 0 ? say('old_code') : say('old_code_now', { code: replacedBy.join(', ') });
}

/** Every key was checked when the data was read. */
function textOf(
  texts: ReadonlyMap<string, Readonly<Record<Language, string>>>,
  key: string,
  language: Language,
): string {
  const text = texts.get(key);
  if (text === undefined) throw new Error(`the data of explanations has no text ${key}`);
  return text[language];
}
