import { Float, InputType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { WithheldType } from '../../../shared/graph/withheld-page.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { EXAMPLE_EVENT, EXAMPLE_SHA256, RecordedAnswer } from './stood-on.js';
import { LINES, ONE_LINE } from './texts.js';

const CODE = { minLength: 1, maxLength: 32, ...ONE_LINE } as const;

@InputType({ description: 'What is looked at in place of the event’s own codes, and words for the letter.' })
export class RecodeInput {
  @ContractField(() => [String], {
    description: 'Procedure codes in place of the event’s, a modifier behind a hyphen.',
    example: ['73721-RT'],
    optional: true,
    items: CODE,
    maxItems: 50,
  })
  procedure_codes?: string[];

  @ContractField(() => [String], {
    description: 'Diagnosis codes in place of the event’s.',
    example: ['M25.561'],
    optional: true,
    items: CODE,
    maxItems: 50,
  })
  diagnosis_codes?: string[];

  @ContractField(() => String, {
    description: 'Words of the caller, quoted in the letter; they support no code.',
    example: 'The brace was tried for six weeks.',
    optional: true,
    maxLength: 4000,
    ...LINES,
  })
  notes?: string;
}

@ObjectType({ description: 'Another code that the record supports.' })
export class RecodeSuggestion {
  @ContractField(() => String, {
    description: 'The code as it is; null: the other is added.',
    nullable: true,
    example: 'M25.569',
  })
  from!: string | null;

  @ContractField(() => String, { description: 'The code, a modifier behind a hyphen.', example: 'M25.561' })
  to!: string;

  @ContractField(() => String, { description: 'Why.', example: 'M25.569 leaves the side open.' })
  reason!: string;

  @ContractField(() => String, {
    description: 'The rule of the corpus, or the name of a built-in one.',
    example: 'icd10cm.laterality',
  })
  rule_id!: string;

  @ContractField(() => Float, {
    description: 'How much of it the record decides.',
    minimum: 0,
    maximum: 1,
    example: 0.7,
  })
  confidence!: number;

  @ContractField(() => JsonScalar, {
    description: 'What of the record supports it; never empty.',
    shape: listShape('FactEvidence'),
  })
  supported_by!: JsonValue;
}

@ObjectType({ description: 'A valid code that a record could lead to.' })
export class RecodeCandidate {
  @ContractField(() => String, { description: 'The code.', example: 'M25.561' })
  code!: string;

  @ContractField(() => String, { description: 'Its words in the imported table.', example: 'Pain in right knee' })
  description!: string;
}

@ObjectType({ description: 'What is wrong and can’t be put right from the record.' })
export class RecodeNeed {
  @ContractField(() => String, { description: 'The code.', example: 'M25.56' })
  code!: string;

  @ContractField(() => String, { description: 'What is wrong.', example: 'M25.56 is a heading.' })
  problem!: string;

  @ContractField(() => String, {
    description: 'What would put it right.',
    example: 'A note that says which side it was.',
  })
  needs!: string;

  @ContractField(() => String, { description: 'As of suggestions.', example: 'icd10cm.more-characters' })
  rule_id!: string;

  @ContractField(() => JsonScalar, { description: 'None of them is suggested.', shape: listShape('RecodeCandidate') })
  candidates!: JsonValue;
}

@ObjectType({ description: 'What goes with an appeal.' })
export class AppealAttachment {
  @ContractField(() => String, {
    description: 'On the record, or to be got.',
    enum: ['ON_RECORD', 'NEEDED'],
    example: 'ON_RECORD',
  })
  status!: string;

  @ContractField(() => String, { description: 'What it is.', example: 'The decision' })
  title!: string;

  @ContractField(() => String, { description: 'The event, of a record.', nullable: true, example: EXAMPLE_EVENT })
  event_id!: string | null;

  @ContractField(() => String, {
    description: 'Its entry in the ledger, or the artifact of the rule.',
    nullable: true,
    example: EXAMPLE_SHA256,
  })
  sha256!: string | null;
}

@ObjectType({ description: 'A draft of an appeal.' })
export class Appeal {
  @ContractField(() => String, {
    description: 'Markdown; null where the record states no denial: there is nothing to appeal.',
    nullable: true,
    example: '# Appeal of a coverage decision',
  })
  letter!: string | null;

  @ContractField(() => String, {
    description: 'Why there is no letter, or what it takes for granted; null where the record states a denial.',
    nullable: true,
    example: 'No appeal is drafted. There is no answer to appeal yet.',
  })
  note!: string | null;

  @ContractField(() => String, {
    description: 'Last day to file; null where it can’t be counted from the record.',
    format: 'date',
    nullable: true,
    example: '2026-05-06',
  })
  deadline!: string | null;

  @ContractField(() => JsonScalar, { description: 'What goes with it.', shape: listShape('AppealAttachment') })
  attachments!: JsonValue;
}

@ObjectType({ description: 'A table of codes, as it was imported.' })
export class StoodOnTable {
  @ContractField(() => String, { description: 'The system.', example: 'ICD10CM' })
  system!: string;

  @ContractField(() => String, { description: 'The edition.', example: '2026' })
  edition!: string;
}

@ObjectType({ description: 'What a recoding stood on.' })
export class RecodeStoodOn {
  @ContractField(() => JsonScalar, { description: 'Revisions of rules.', shape: listShape('StoodOnRule') })
  rules!: JsonValue;

  @ContractField(() => JsonScalar, {
    description: 'The event, and records that are cited.',
    shape: listShape('StoodOnEvent'),
  })
  events!: JsonValue;

  @ContractField(() => Boolean, { description: 'The member has more events than were read.', example: false })
  record_capped!: boolean;

  @ContractField(() => JsonScalar, {
    description: 'Tables of codes; of a system without one nothing is said.',
    shape: listShape('StoodOnTable'),
  })
  tables!: JsonValue;
}

@ObjectType({ description: 'Other codes that the record of an event supports, and a draft of an appeal.' })
export class RecodeAnswer {
  @ContractField(() => String, { description: 'The event, which is not changed.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => JsonScalar, { description: 'In order of the rules.', shape: listShape('RecodeSuggestion') })
  suggestions!: JsonValue;

  @ContractField(() => JsonScalar, { description: 'What the record does not support.', shape: listShape('RecodeNeed') })
  needed!: JsonValue;

  @ContractField(() => Appeal, { description: 'A draft for whoever signs it.' })
  appeal!: Appeal;

  @ContractField(() => RecodeStoodOn, { description: 'What the answer stood on.' })
  stood_on!: RecodeStoodOn;

  @ContractField(() => JsonScalar, { description: 'Events not wholly seen.', shape: listShape('WithheldEvent') })
  withheld!: JsonValue;

  @ContractField(() => WithheldType, { description: 'Events of the record that consent keeps out.', optional: true })
  withheld_by_consent?: WithheldType;

  @ContractField(() => String, { description: 'What this is not.', example: 'It is not legal or medical advice.' })
  limits!: string;

  @ContractField(() => String, {
    description: 'SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.',
    example: EXAMPLE_SHA256,
  })
  answer_sha256!: string;

  @ContractField(() => RecordedAnswer, { description: 'When it was asked for.', optional: true })
  recorded?: RecordedAnswer;
}
