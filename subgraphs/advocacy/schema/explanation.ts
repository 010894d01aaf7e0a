import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS } from '../../../shared/graph/withheld-page.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { ADJUSTMENT_GROUPS } from '../domain/event-codes.js';
import { LANGUAGES, type Language } from '../domain/explain/explain-data.js';
import { EXAMPLE_EVENT, EXAMPLE_SHA256, JUDGED_FOR, RecordedAnswer } from './stood-on.js';

const DAY = { format: 'date' } as const;
const CENTS = { pattern: '^-?\\d+\\.\\d{2}$' } as const;

@ArgsType()
export class ExplainArgs {
  @ContractField(() => String, { description: 'The event that is explained.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, {
    description: 'Language of the answer; else the first of Accept-Language that there is, else English.',
    optional: true,
    enum: LANGUAGES,
  })
  language?: Language;

  @ContractField(() => Boolean, {
    description: 'Make the answer an entry of the ledger (once for each answer).',
    optional: true,
  })
  record?: boolean;

  @ContractField(() => String, { ...PURPOSE_OPTIONS, description: JUDGED_FOR })
  purpose?: string;
}

@ObjectType({ description: 'One reason of an event in plain words.' })
export class ExplainedReason {
  @ContractField(() => String, { description: 'The code; TEXT for words that the sender wrote.', example: '50' })
  code!: string;

  @ContractField(() => String, {
    description: 'The list that it is of: CARC, RARC, HCR03, X12-886, AAA03, NCPDP, X12-508, OTHER, SENDER_WORDS.',
    example: 'CARC',
  })
  code_system!: string;

  @ContractField(() => String, {
    description: 'Who the amount falls to, as the adjustment says.',
    optional: true,
    enum: ADJUSTMENT_GROUPS,
    example: 'CO',
  })
  group?: string;

  @ContractField(() => String, {
    description: 'What the code means. One that is unknown is said to be unknown.',
    example: 'The plan says this care was not needed for your health.',
  })
  meaning!: string;

  @ContractField(() => String, {
    description: 'How it comes to that, and who the amount falls to.',
    example: 'The plan looked at the facts it had and did not find that you need this care.',
  })
  why_it_happened!: string;

  @ContractField(() => String, { description: 'What helps.', example: 'Ask the plan for the rule it used.' })
  what_to_do!: string;

  @ContractField(() => String, {
    description: 'Last day of a first appeal, where one would help and the day can be counted.',
    optional: true,
    example: '2026-11-28',
    ...DAY,
  })
  deadline?: string;
}

@ObjectType({ description: 'One step of an appeal.' })
export class AppealStepShown {
  @ContractField(() => String, { description: 'The programme.', example: 'COMMERCIAL' })
  program!: string;

  @ContractField(() => Int, { description: 'Its place in the order.', example: 1 })
  level!: number;

  @ContractField(() => String, { description: 'What it is.', example: 'Ask the plan to look again' })
  name!: string;

  @ContractField(() => String, { description: 'The step in plain words.', example: 'Ask the plan to look again.' })
  text!: string;

  @ContractField(() => String, {
    description: 'The last day, where it can be counted.',
    optional: true,
    example: '2026-11-28',
    ...DAY,
  })
  file_by?: string;

  @ContractField(() => String, {
    description: 'What the time is counted from.',
    enum: ['NOTICE', 'STEP_BEFORE', 'LETTER', 'ANY_TIME', 'NONE'],
    example: 'NOTICE',
  })
  counted_from!: string;

  @ContractField(() => Boolean, { description: 'Nobody has to ask for it.', example: false })
  automatic!: boolean;

  @ContractField(() => Boolean, { description: 'People outside the plan decide.', example: false })
  is_external!: boolean;

  @ContractField(() => Int, { description: 'Of a fast answer, for care to come.', optional: true, example: 72 })
  expedited_hours?: number;

  @ContractField(() => String, { description: 'Where it stands.', example: '45 CFR 147.136(b)' })
  citation!: string;

  @ContractField(() => String, { description: 'In force from.', example: '2011-07-22', ...DAY })
  effective_from!: string;
}

@ObjectType({ description: 'Rights to appeal, of the programme and the day of the event.' })
export class AppealRightsShown {
  @ContractField(() => Boolean, {
    description: 'Whether there is something to appeal; null where the event does not tell.',
    nullable: true,
    example: true,
  })
  applies!: boolean | null;

  @ContractField(() => [String], {
    description: 'Programmes that the event may be of. None: it names none that is on file, and none is guessed.',
    example: ['COMMERCIAL'],
  })
  programs!: string[];

  @ContractField(() => String, { description: 'As the event names it.', nullable: true, example: 'US-OH' })
  jurisdiction!: string | null;

  @ContractField(() => String, {
    description: 'The day that time is counted from.',
    nullable: true,
    example: '2026-06-01',
    ...DAY,
  })
  notice_date!: string | null;

  @ContractField(() => String, {
    description:
      'What that day is of: NOTICE payload.notice_date, ISSUED the day a review was issued, PAYMENT the payment, EVENT the effective time, RECEIVED the day it came to the service.',
    enum: ['NOTICE', 'ISSUED', 'PAYMENT', 'EVENT', 'RECEIVED', 'NONE'],
    example: 'PAYMENT',
  })
  notice_date_basis!: string;

  @ContractField(() => String, {
    description: 'The earliest last day of a first step; null where none can be counted.',
    nullable: true,
    example: '2026-11-28',
    ...DAY,
  })
  first_deadline!: string | null;

  @ContractField(() => String, {
    description: 'In plain words.',
    example: 'You may ask the plan to look at this again.',
  })
  text!: string;

  @ContractField(() => JsonScalar, { description: 'The steps, in order.', shape: listShape('AppealStepShown') })
  steps!: JsonValue;
}

@ObjectType({ description: 'Who owes what, as far as the event tells; decimal strings.' })
export class ExplainedAmounts {
  @ContractField(() => String, { description: 'ISO 4217.', example: 'USD' })
  currency!: string;

  @ContractField(() => String, { description: 'What was billed.', optional: true, example: '500.00', ...CENTS })
  charge?: string;

  @ContractField(() => String, { description: 'What the plan paid.', optional: true, example: '450.00', ...CENTS })
  paid?: string;

  @ContractField(() => String, { description: "The member's (group PR).", optional: true, example: '50.00', ...CENTS })
  member_owes?: string;

  @ContractField(() => String, { description: 'Written off under a contract (group CO).', example: '0.00', ...CENTS })
  not_owed!: string;

  @ContractField(() => String, { description: 'Cut by the payer (group PI).', example: '0.00', ...CENTS })
  payer_reduction!: string;

  @ContractField(() => String, { description: 'Other adjustments (group OA).', example: '0.00', ...CENTS })
  other!: string;

  @ContractField(() => String, { description: 'Corrections (group CR).', example: '0.00', ...CENTS })
  correction!: string;

  @ContractField(() => String, { description: 'Adjustments without a group.', example: '0.00', ...CENTS })
  ungrouped!: string;

  @ContractField(() => String, {
    description: 'Charge less what was paid and all adjustments: 0.00 where the event balances.',
    optional: true,
    example: '0.00',
    ...CENTS,
  })
  unexplained?: string;
}

@ObjectType({ description: 'What an answer stands on: a revision of a rule, or a data file of the service.' })
export class ExplainCitation {
  @ContractField(() => String, {
    description: 'The rule; of a data file its name.',
    example: 'rul_01JQ0000000000000000000001',
  })
  rule_id!: string;

  @ContractField(() => SafeInteger, { description: 'The revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Of the artifact, or of the file.', example: EXAMPLE_SHA256 })
  sha256!: string;
}

@ObjectType({ description: 'Why an event came out as it did, in plain words. Not legal or medical advice.' })
export class ExplanationAnswer {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'As the event has it.', nullable: true, example: 'denied' })
  outcome!: string | null;

  @ContractField(() => String, {
    description: 'What was decided, who owes what, and how many reasons there are.',
    example: 'The plan said no to paying for this care.',
  })
  summary!: string;

  @ContractField(() => JsonScalar, {
    description: 'Every reason, 50 at most; none where the event has no code.',
    shape: listShape('ExplainedReason'),
  })
  reasons!: JsonValue;

  @ContractField(() => ExplainedAmounts, { description: 'Where the event tells amounts.', optional: true })
  amounts?: ExplainedAmounts;

  @ContractField(() => AppealRightsShown, { description: 'Rights to appeal.' })
  appeal_rights!: AppealRightsShown;

  @ContractField(() => JsonScalar, {
    description: 'What the answer stands on.',
    shape: listShape('ExplainCitation'),
  })
  citations!: JsonValue;

  @ContractField(() => Float, {
    description:
      'School grade of the words of the whole answer: Flesch-Kincaid; in Spanish Fernández-Huerta on the same scale.',
    example: 4.2,
  })
  reading_grade!: number;

  @ContractField(() => String, { description: 'Of the answer.', enum: LANGUAGES, example: 'en' })
  language!: string;

  @ContractField(() => String, {
    description: 'SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.',
    optional: true,
    example: EXAMPLE_SHA256,
  })
  answer_sha256?: string;

  @ContractField(() => RecordedAnswer, { description: 'When it was asked for.', optional: true })
  recorded?: RecordedAnswer;
}
