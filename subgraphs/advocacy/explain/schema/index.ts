import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import { EventAnswerArgs, EXAMPLE_EVENT, EXAMPLE_SHA256, RecordedAnswer } from '../../answers/schema.js';
import { ADJUSTMENT_GROUPS, type AdjustmentGroup } from '../../facts/domain/index.js';
import type { NoticeBasis } from '../domain/notice-date.js';
import { COUNTED_FROM, type CountedFrom, LANGUAGES, type Language } from '../domain/sentences.js';

const DAY = { format: 'date' } as const;
const CENTS = { pattern: '^-?\\d+\\.\\d{2}$', scalar: 'Money' } as const;

@ArgsType()
export class ExplainArgs extends EventAnswerArgs {
  @ContractField(() => String, {
    description: 'Language of the answer. Default: the first supported language of Accept-Language, then English.',
    optional: true,
    enum: LANGUAGES,
  })
  language?: Language;
}

@ObjectType({ description: 'One reason code of an event in plain words.' })
export class ExplainedReason {
  @ContractField(() => String, { description: 'The code; TEXT for a reason in the sender’s own words.', example: '50' })
  code!: string;

  @ContractField(() => String, {
    description: 'The code list: CARC, RARC, HCR03, X12-886, AAA03, NCPDP, X12-508, OTHER, SENDER_WORDS.',
    example: 'CARC',
  })
  code_system!: string;

  @ContractField(() => String, {
    description: 'Adjustment group: the party that bears the amount.',
    optional: true,
    enum: ADJUSTMENT_GROUPS,
    example: 'CO',
  })
  group?: AdjustmentGroup;

  @ContractField(() => String, {
    description: 'Meaning of the code; says so if the code is unknown.',
    example: 'The plan says this care was not needed for your health.',
  })
  meaning!: string;

  @ContractField(() => String, {
    description: 'Cause of the decision, and the party that bears the amount.',
    example: 'The plan looked at the facts it had and did not find that you need this care.',
  })
  why_it_happened!: string;

  @ContractField(() => String, {
    description: 'What the member can do.',
    example: 'Ask the plan for the rule it used.',
  })
  what_to_do!: string;

  @ContractField(() => String, {
    description: 'Last day to file a first appeal, if an appeal can help and the day can be computed.',
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

  @ContractField(() => Int, { description: 'Position of the step.', example: 1 })
  level!: number;

  @ContractField(() => String, { description: 'Name of the step.', example: 'Ask the plan to look again' })
  name!: string;

  @ContractField(() => String, { description: 'The step in plain words.', example: 'Ask the plan to look again.' })
  text!: string;

  @ContractField(() => String, {
    description: 'Last day to file, if it can be computed.',
    optional: true,
    example: '2026-11-28',
    ...DAY,
  })
  file_by?: string;

  @ContractField(() => String, {
    description: 'Start of the time limit.',
    enum: COUNTED_FROM,
    example: 'NOTICE',
  })
  counted_from!: CountedFrom;

  @ContractField(() => Boolean, { description: 'True if the step starts without a request.', example: false })
  automatic!: boolean;

  @ContractField(() => Boolean, { description: 'True if people outside the plan decide.', example: false })
  is_external!: boolean;

  @ContractField(() => Int, { description: 'Hours to a fast answer, for future care.', optional: true, example: 72 })
  expedited_hours?: number;

  @ContractField(() => String, { description: 'Legal source.', example: '45 CFR 147.136(b)' })
  citation!: string;

  @ContractField(() => String, { description: 'First day in force.', example: '2011-07-22', ...DAY })
  effective_from!: string;
}

@ObjectType({ description: 'Appeal rights under the event’s programme on the event’s day.' })
export class AppealRightsShown {
  @ContractField(() => Boolean, {
    description: 'True if there is a decision to appeal; null if the event does not say.',
    nullable: true,
    example: true,
  })
  applies!: boolean | null;

  @ContractField(() => [String], {
    description: 'Programmes that may apply. Empty if the event names no known programme; the service does not guess.',
    example: ['COMMERCIAL'],
  })
  programs!: readonly string[];

  @ContractField(() => String, { description: 'Jurisdiction that the event names.', nullable: true, example: 'US-OH' })
  jurisdiction!: string | null;

  @ContractField(() => String, {
    description: 'Day that time limits start.',
    nullable: true,
    example: '2026-06-01',
    ...DAY,
  })
  notice_date!: string | null;

  @ContractField(() => String, {
    description:
      'Source of that day. NOTICE: payload.notice_date. ISSUED: the review. PAYMENT: the payment. EVENT: the effective time. RECEIVED: receipt by the service.',
    enum: ['NOTICE', 'ISSUED', 'PAYMENT', 'EVENT', 'RECEIVED', 'NONE'],
    example: 'PAYMENT',
  })
  notice_date_basis!: NoticeBasis;

  @ContractField(() => String, {
    description: 'Earliest deadline of a first step; null if none can be computed.',
    nullable: true,
    example: '2026-11-28',
    ...DAY,
  })
  first_deadline!: string | null;

  @ContractField(() => String, {
    description: 'The rights in plain words.',
    example: 'You may ask the plan to look at this again.',
  })
  text!: string;

  @ContractField(() => JsonScalar, { description: 'Steps in order.', shape: listShape('AppealStepShown') })
  steps!: readonly AppealStepShown[];
}

@ObjectType({ description: 'Amounts that the event states, by who owes them; decimal strings.' })
export class ExplainedAmounts {
  @ContractField(() => String, { description: 'ISO 4217.', example: 'USD' })
  currency!: string;

  @ContractField(() => String, { description: 'Billed amount.', optional: true, example: '500.00', ...CENTS })
  charge?: string;

  @ContractField(() => String, {
    description: 'Amount that the plan paid.',
    optional: true,
    example: '450.00',
    ...CENTS,
  })
  paid?: string;

  @ContractField(() => String, {
    description: 'Amount that the member owes (group PR).',
    optional: true,
    example: '50.00',
    ...CENTS,
  })
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
    description: 'Charge minus payment and adjustments; 0.00 if the event balances.',
    optional: true,
    example: '0.00',
    ...CENTS,
  })
  unexplained?: string;
}

@ObjectType({ description: 'A source of an answer: a rule revision, or a data file of the service.' })
export class ExplainCitation {
  @ContractField(() => String, {
    description: 'Rule id, or the name of the data file.',
    example: 'rul_01JQ0000000000000000000001',
  })
  rule_id!: string;

  @ContractField(() => SafeInteger, { description: 'The revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'SHA-256 of the artifact or file.', example: EXAMPLE_SHA256 })
  sha256!: string;
}

@ObjectType({ description: 'Explains the outcome of an event in plain words. Not legal or medical advice.' })
export class ExplanationAnswer {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Outcome that the event states.', nullable: true, example: 'denied' })
  outcome!: string | null;

  @ContractField(() => String, {
    description: 'The decision, the amounts owed and the number of reasons.',
    example: 'The plan said no to paying for this care.',
  })
  summary!: string;

  @ContractField(() => JsonScalar, {
    description: 'All reasons, at most 50; empty if the event has no code.',
    shape: listShape('ExplainedReason'),
  })
  reasons!: readonly ExplainedReason[];

  @ContractField(() => ExplainedAmounts, { description: 'Amounts, if the event states any.', optional: true })
  amounts?: ExplainedAmounts;

  @ContractField(() => AppealRightsShown, { description: 'Appeal rights.' })
  appeal_rights!: AppealRightsShown;

  @ContractField(() => JsonScalar, {
    description: 'Sources of the answer.',
    shape: listShape('ExplainCitation'),
  })
  citations!: readonly ExplainCitation[];

  @ContractField(() => Float, {
    description:
      'School grade of the text of the answer: Flesch-Kincaid, or for Spanish Fernández-Huerta on the same scale.',
    example: 4.2,
  })
  reading_grade!: number;

  @ContractField(() => String, { description: 'Language of the answer.', enum: LANGUAGES, example: 'en' })
  language!: Language;

  @ContractField(() => String, {
    description: 'SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.',
    optional: true,
    example: EXAMPLE_SHA256,
  })
  answer_sha256?: string;

  @ContractField(() => RecordedAnswer, { description: 'Present if `record` was set.', optional: true })
  recorded?: RecordedAnswer;
}
