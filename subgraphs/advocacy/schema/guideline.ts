import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { VERDICTS } from '../domain/guideline/verdict.js';
import { EXAMPLE_EVENT, EXAMPLE_RULE, EXAMPLE_SHA256, JUDGED_FOR, RecordedAnswer, StoodOn } from './stood-on.js';

const GUIDELINE_VERDICTS = VERDICTS.filter((verdict) => verdict !== 'NO_GUIDELINE');

@ArgsType()
export class GuidelineArgs {
  @ContractField(() => String, { description: 'The event that is judged.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => Boolean, {
    description: 'Make the answer an entry of the ledger (once for each answer).',
    optional: true,
  })
  record?: boolean;

  @ContractField(() => String, { ...PURPOSE_OPTIONS, description: JUDGED_FOR })
  purpose?: string;
}

@ObjectType({ description: 'What would settle a criterion that is unknown.' })
export class GuidelineSettledBy {
  @ContractField(() => String, {
    description: 'Kind of document, where one is named.',
    nullable: true,
    example: 'sleep_study',
  })
  kind!: string | null;

  @ContractField(() => String, {
    description: 'In words.',
    example: 'a sleep study report with the index and the type of test',
  })
  text!: string;

  @ContractField(() => JsonScalar, {
    description: 'Documents of that kind that the record names already; somebody must read them.',
    shape: listShape('FactEvidence'),
  })
  on_record!: JsonValue;
}

@ObjectType({ description: 'One criterion, held against the record.' })
export class GuidelineCriterion {
  @ContractField(() => String, { description: 'Its id in the rule.', example: 'c1' })
  id!: string;

  @ContractField(() => String, { description: 'What it asks.', example: 'Age 50 to 77.' })
  text!: string;

  @ContractField(() => Boolean, { description: 'Null: the record does not say.', nullable: true, example: true })
  met!: boolean | null;

  @ContractField(() => JsonScalar, { description: 'What of the record decided it.', shape: listShape('FactEvidence') })
  evidence!: JsonValue;

  @ContractField(() => String, {
    description: 'Of criteria with the same word here, one is enough.',
    optional: true,
    example: 'oxygen_group',
  })
  alternative?: string;

  @ContractField(() => GuidelineSettledBy, { description: 'Of one that is unknown.', optional: true })
  settled_by?: GuidelineSettledBy;
}

@ObjectType({ description: 'A criterion that asks nothing of this case.' })
export class GuidelineNotApplicable {
  @ContractField(() => String, { description: 'Its id in the rule.', example: 'c3' })
  id!: string;

  @ContractField(() => String, { description: 'What it asks.', example: 'Special-feature monitors need impairment.' })
  text!: string;
}

@ObjectType({
  description: 'A guideline that applies to the event, judged by the revision in force at its effective time.',
})
export class GuidelineResult {
  @ContractField(() => String, { description: 'The rule.', example: EXAMPLE_RULE })
  rule_id!: string;

  @ContractField(() => SafeInteger, { description: 'The revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Key of the rule.', example: 'NCD-240.4' })
  key!: string;

  @ContractField(() => String, { description: 'Its title.', example: 'CPAP therapy for obstructive sleep apnea' })
  title!: string;

  @ContractField(() => String, { description: 'What it is.', enum: ['GUIDELINE', 'POLICY'], example: 'GUIDELINE' })
  kind!: string;

  @ContractField(() => String, { description: 'Where it is published.', nullable: true, example: 'Pub. 100-03, 240.4' })
  citation!: string | null;

  @ContractField(() => String, {
    description: 'In force from.',
    format: 'date-time',
    example: '2008-03-13T00:00:00.000Z',
  })
  effective_from!: string;

  @ContractField(() => String, { description: 'In force until.', format: 'date-time', nullable: true, example: null })
  effective_to!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of the artifact as it was stored.', example: EXAMPLE_SHA256 })
  artifact_sha256!: string;

  @ContractField(() => String, {
    description: 'Of this guideline alone.',
    enum: GUIDELINE_VERDICTS,
    example: 'SUPPORTS',
  })
  verdict!: string;

  @ContractField(() => JsonScalar, { description: 'Its criteria.', shape: listShape('GuidelineCriterion') })
  criteria!: JsonValue;

  @ContractField(() => JsonScalar, {
    description: 'Criteria that ask nothing of this case.',
    shape: listShape('GuidelineNotApplicable'),
  })
  not_applicable!: JsonValue;

  @ContractField(() => [String], { description: 'Said by the guideline, and not judged.', example: [] })
  notes!: string[];
}

@ObjectType({ description: 'Whether published guidelines support the service of an event.' })
export class GuidelineAnswer {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Over all guidelines.', enum: VERDICTS, example: 'SUPPORTS' })
  verdict!: string;

  @ContractField(() => JsonScalar, { description: 'Those that apply.', shape: listShape('GuidelineResult') })
  guidelines!: JsonValue;

  @ContractField(() => String, { description: 'How the verdict follows from the criteria.', example: 'A guideline …' })
  verdict_rule!: string;

  @ContractField(() => StoodOn, { description: 'What the answer stood on.' })
  stood_on!: StoodOn;

  @ContractField(() => JsonScalar, {
    description: 'Events of the record that this reader could not see wholly.',
    shape: listShape('WithheldEvent'),
  })
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
