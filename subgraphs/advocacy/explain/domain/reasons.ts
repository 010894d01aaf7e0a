import { type EventCodes, type ReasonCode, ruleCodeOf } from '../../facts/domain/index.js';
import type { ExplainedReason } from '../schema/index.js';
import type { ExplainData, PlainCode } from './explain-data.js';
import { amountInWords } from './money.js';
import { quoted } from './quote.js';
import { type Language, type Say, together } from './sentences.js';

/** Reasons shown for one event; the summary says if there are more. */
export const MAX_REASONS = 50;

/** Code and system of a reason in the sender's own words. */
const WORDS_CODE = 'TEXT';
export const WORDS_SYSTEM = 'SENDER_WORDS';

/** Paths that can end in an appeal. */
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

/** Paths after a denial; corrections, other payers and prices are not denials. */
const REFUSALS: ReadonlySet<string> = new Set([
  'clinical_appeal',
  'administrative_appeal',
  'benefit_appeal',
  'next_level_appeal',
]);

/** Categories of denied lines with a path that starts with a review or a correction. */
const REFUSING: ReadonlySet<string> = new Set(['medical_necessity', 'experimental', 'authorization', 'eligibility']);

/**
 * Returns whether a reason denies a part of the request: an adjustment (CARC) that deducts an amount for an appealable reason.
 * An amount of zero and a correction (CR) deduct nothing.
 */
export function refusesPart(data: ExplainData, reason: ReasonCode): boolean {
  const plain = reason.system === 'CARC' ? plainCodeOf(data, reason) : null;
  if (plain === null || plain.isNote || reason.group === 'CR') return false;
  if (reason.cents !== null && reason.cents <= 0) return false;
  return REFUSALS.has(plain.path) || REFUSING.has(plain.category) || ALWAYS_DENY.has(reason.code);
}

/** A1: the claim or service is denied; a remark code gives the reason. */
const ALWAYS_DENY: ReadonlySet<string> = new Set(['A1']);

/** Returns the name that a tenant rule uses for a code without a table: the payer's own code. */
export const payerCodeOf = ({ code }: Pick<ReasonCode, 'code'>): string => `PAYER/${code.toUpperCase()}`;

interface ReasonsAsked {
  readonly codes: EventCodes;
  readonly currency: string;
  /** See AppealRights.first_deadline. */
  readonly firstDeadline: string | null;
  /** Titles of tenant rules by `SYSTEM/CODE`. */
  readonly ruleWords: ReadonlyMap<string, string>;
  /** True if the sender's free text is about the decision. */
  readonly withWords: boolean;
  /** True if the answer has appeal steps. */
  readonly hasSteps: boolean;
  /** True for a message between prescriber and pharmacy, which the plan cannot explain. */
  readonly isPrescription: boolean;
}

export function reasonsExplained(
  data: ExplainData,
  asked: ReasonsAsked,
  say: Say,
  language: Language,
): ExplainedReason[] {
  const explained = asked.codes.reasons
    .slice(0, MAX_REASONS)
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

/** Returns the table entry of a code, or null. */
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
): ExplainedReason {
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
    what_to_do: together(
      textOf(phrases.whatToDo, path, language),
      category === AUTHORIZATION && authorizationSteps(asked, path, say),
    ),
    ...(firstDeadline !== null && APPEALABLE.has(path) && plain?.isNote !== true ? { deadline: firstDeadline } : {}),
  };
}

const AUTHORIZATION = 'authorization';

/** Names the authorization that is on file, and the way to one after the fact where the care was already given. */
function authorizationSteps({ codes: { authorizations } }: ReasonsAsked, path: string, say: Say): string {
  return together(
    authorizations.length > 0 && say('authorization_on_file', { numbers: authorizations.map(quoted).join(', ') }),
    (path === 'administrative_appeal' || path === 'correct_and_resubmit') && say('retro_authorization'),
  );
}

function unknownCategory({ lists }: ExplainData, { system }: ReasonCode, { isPrescription }: ReasonsAsked): string {
  if (isPrescription) return 'prescription_list';
  return lists.has(system) ? 'unknown' : 'other_list';
}

/** Adjusts the path by the group: a member who owes the amount has a bill to check, any other member has nothing to pay. */
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

/** Returns a text of the data; every key was checked at load time. */
function textOf(
  texts: ReadonlyMap<string, Readonly<Record<Language, string>>>,
  key: string,
  language: Language,
): string {
  const text = texts.get(key);
  if (text === undefined) throw new Error(`the data of explanations has no text ${key}`);
  return text[language];
}
