import { Float, InputType, ObjectType } from 'type-graphql';
import { ContractField, listShape, OpenShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { EXAMPLE_EVENT, EXAMPLE_SHA256, RecordAnswer, StoodOn } from '../answers/schema.js';
import type { Evidence } from '../facts/domain/index.js';
import { LINES, ONE_LINE } from '../rules/schema.js';

const CODE = { minLength: 1, maxLength: 32, ...ONE_LINE } as const;

@OpenShape()
@InputType({ description: 'Codes to check instead of the event’s own, and notes for the letter.' })
export class RecodeInput {
  @ContractField(() => [String], {
    description: 'Procedure codes to check instead of the event’s; a modifier follows a hyphen.',
    example: ['73721-RT'],
    optional: true,
    items: CODE,
    maxItems: 50,
  })
  procedure_codes?: string[];

  @ContractField(() => [String], {
    description: 'Diagnosis codes to check instead of the event’s.',
    example: ['M25.561'],
    optional: true,
    items: CODE,
    maxItems: 50,
  })
  diagnosis_codes?: string[];

  @ContractField(() => String, {
    description: 'Notes that the letter quotes; they support no code.',
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
    description: 'The present code; null if the suggestion adds a code.',
    nullable: true,
    example: 'M25.569',
  })
  from!: string | null;

  @ContractField(() => String, { description: 'The suggested code; a modifier follows a hyphen.', example: 'M25.561' })
  to!: string;

  @ContractField(() => String, { description: 'Reason.', example: 'M25.569 leaves the side open.' })
  reason!: string;

  @ContractField(() => String, {
    description: 'Rule of the corpus, or the name of a built-in rule.',
    example: 'icd10cm.laterality',
  })
  rule_id!: string;

  @ContractField(() => Float, {
    description: 'Share that the record decides, from 0 to 1.',
    minimum: 0,
    maximum: 1,
    example: 0.7,
  })
  confidence!: number;

  @ContractField(() => JsonScalar, {
    description: 'Evidence in the record; never empty.',
    shape: listShape('FactEvidence'),
  })
  supported_by!: readonly Evidence[];
}

@ObjectType({ description: 'A valid code that a fuller record could support.' })
export class RecodeCandidate {
  @ContractField(() => String, { description: 'The code.', example: 'M25.561' })
  code!: string;

  @ContractField(() => String, { description: 'Description in the imported table.', example: 'Pain in right knee' })
  description!: string;
}

@ObjectType({ description: 'A problem that the record cannot correct.' })
export class RecodeNeed {
  @ContractField(() => String, { description: 'The code.', example: 'M25.56' })
  code!: string;

  @ContractField(() => String, { description: 'The problem.', example: 'M25.56 is a heading.' })
  problem!: string;

  @ContractField(() => String, {
    description: 'The record that would correct it.',
    example: 'A note that says which side it was.',
  })
  needs!: string;

  @ContractField(() => String, {
    description: 'Rule of the corpus, or the name of a built-in rule.',
    example: 'icd10cm.more-characters',
  })
  rule_id!: string;

  @ContractField(() => JsonScalar, {
    description: 'Possible codes; none is suggested.',
    shape: listShape('RecodeCandidate'),
  })
  candidates!: readonly RecodeCandidate[];
}

@ObjectType({ description: 'An attachment of an appeal.' })
export class AppealAttachment {
  @ContractField(() => String, {
    description: 'ON_RECORD if the record has it, else NEEDED.',
    enum: ['ON_RECORD', 'NEEDED'],
    example: 'ON_RECORD',
  })
  status!: 'ON_RECORD' | 'NEEDED';

  @ContractField(() => String, { description: 'Name of the attachment.', example: 'The decision' })
  title!: string;

  @ContractField(() => String, {
    description: 'The event, if it is on record.',
    nullable: true,
    example: EXAMPLE_EVENT,
  })
  event_id!: string | null;

  @ContractField(() => String, {
    description: 'Its entry hash in the ledger, or the hash of the rule artifact.',
    nullable: true,
    example: EXAMPLE_SHA256,
  })
  sha256!: string | null;
}

@ObjectType({ description: 'A draft of an appeal.' })
export class Appeal {
  @ContractField(() => String, {
    description: 'Letter in Markdown; null if the record states no denial.',
    nullable: true,
    example: '# Appeal of a coverage decision',
  })
  letter!: string | null;

  @ContractField(() => String, {
    description: 'Reason for no letter, or an assumption of the letter; null if the record states a denial.',
    nullable: true,
    example: 'No appeal is drafted. There is no answer to appeal yet.',
  })
  note!: string | null;

  @ContractField(() => String, {
    description: 'Last day to file; null if the record does not determine it.',
    format: 'date',
    nullable: true,
    example: '2026-05-06',
  })
  deadline!: string | null;

  @ContractField(() => JsonScalar, { description: 'Attachments.', shape: listShape('AppealAttachment') })
  attachments!: readonly AppealAttachment[];
}

@ObjectType({ description: 'An imported code table.' })
export class StoodOnTable {
  @ContractField(() => String, { description: 'The system.', example: 'ICD10CM' })
  system!: string;

  @ContractField(() => String, { description: 'The edition.', example: '2026' })
  edition!: string;
}

@ObjectType({ description: 'The rules, events and tables that a recoding is based on.' })
class RecodeStoodOn extends StoodOn {
  @ContractField(() => JsonScalar, {
    description: 'Code tables used. A system without a table is not checked.',
    shape: listShape('StoodOnTable'),
  })
  tables!: readonly StoodOnTable[];
}

@ObjectType({ description: 'Other codes that the record of an event supports, and a draft of an appeal.' })
export class RecodeAnswer extends RecordAnswer {
  @ContractField(() => JsonScalar, {
    description: 'Suggested codes, in rule order.',
    shape: listShape('RecodeSuggestion'),
  })
  suggestions!: readonly RecodeSuggestion[];

  @ContractField(() => JsonScalar, {
    description: 'Problems that the record cannot correct.',
    shape: listShape('RecodeNeed'),
  })
  needed!: readonly RecodeNeed[];

  @ContractField(() => Appeal, { description: 'A draft for the signer to review.' })
  appeal!: Appeal;

  @ContractField(() => RecodeStoodOn, { description: 'Rules, events and tables that the answer is based on.' })
  stood_on!: RecodeStoodOn;
}
