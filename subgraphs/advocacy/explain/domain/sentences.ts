import type { Phrases, Span } from './explain-data.js';

/** Sentences of explanations; their texts are in corpus/tables/plain-phrases.json. */
export const SENTENCES = [
  'denied_claim',
  'denied_request',
  'denied_drug',
  'denied',
  'partially_paid',
  'partially_approved',
  'applied_to_member',
  'paid',
  'approved',
  'pended',
  'rejected',
  'reversed',
  'forwarded',
  'estimated',
  'duplicate',
  'submitted',
  'accepted',
  'cancelled',
  'active',
  'inactive',
  'no_action_required',
  'error',
  'no_answer',
  'prescription',
  'claim_taken_back',
  'unknown_outcome',
  'billed',
  'plan_paid',
  'member_owes',
  'member_owes_nothing',
  'provider_writes_off',
  'payer_reduction',
  'other_adjustment',
  'correction',
  'no_group',
  'money_gap',
  'money_over',
  'one_reason',
  'many_reasons',
  'first_reasons',
  'no_reason',
  'nothing_to_do',
  'the_one_unknown',
  'one_unknown',
  'many_unknown',
  'hidden',
  'authorization_on_file',
  'retro_authorization',
  'unknown_code',
  'old_code',
  'old_code_now',
  'sender_wrote',
  'rule_says',
  'reason_amount',
  'steps_for',
  'which_plan',
  'unknown_program',
  'no_steps',
  'count_NOTICE',
  'count_ISSUED',
  'count_PAYMENT',
  'count_EVENT',
  'count_RECEIVED',
  'go_by_letter',
  'no_date',
  'at_pharmacy',
  'file_by',
  'file_within_letter',
  'file_within_before',
  'file_any',
  'file_letter_says',
  'automatic',
  'outside',
  'answer_days',
  'answer_hours',
  'fast',
  'keep_care',
  'days',
  'months',
  'said_yes',
  'not_decided',
  'not_an_answer',
  'perhaps',
  'may_appeal',
  'disclaimer',
] as const;
export type SentenceName = (typeof SENTENCES)[number];

// Words that the data of explanations and their answers share.

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Start of the time limit of a step. LETTER: only the plan's letter states it. NONE: nothing has to be filed. */
export const COUNTED_FROM = ['NOTICE', 'STEP_BEFORE', 'LETTER', 'ANY_TIME', 'NONE'] as const;
export type CountedFrom = (typeof COUNTED_FROM)[number];

/** Renders a sentence in the language of one answer. */
export type Say = (name: SentenceName, fills?: Readonly<Record<string, string | number>>) => string;

export const sayIn =
  (phrases: Phrases, language: Language): Say =>
  (name, fills) => {
    const sentence = phrases.sentences[name][language];
    return fills === undefined
      ? sentence
      : sentence.replace(/\{(\w+)\}/g, (all, key: string) => String(fills[key] ?? all));
  };

export const spanInWords = (span: Span, say: Say): string =>
  'days' in span ? say('days', { count: span.days }) : say('months', { count: span.months });

/** Joins sentences; empty parts are left out. */
export const together = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== null && part !== undefined && part !== '').join(' ');
