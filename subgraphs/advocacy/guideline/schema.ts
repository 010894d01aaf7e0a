import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { EXAMPLE_RULE, EXAMPLE_SHA256, RecordAnswer, StoodOn } from '../answers/schema.js';
import type { DocumentKind, Evidence } from '../facts/domain/index.js';
import { RuleInput } from '../rules/schema.js';
import { VERDICTS, type Verdict } from './domain/verdict.js';

const GUIDELINE_VERDICTS = VERDICTS.filter((verdict) => verdict !== 'NO_GUIDELINE');

@ObjectType({ description: 'The document that would settle an unknown criterion.' })
class GuidelineSettledBy {
  @ContractField(() => String, {
    description: 'Kind of document, if the rule names one.',
    nullable: true,
    example: 'sleep_study',
  })
  kind!: DocumentKind | null;

  @ContractField(() => String, {
    description: 'Description of the document.',
    example: 'a sleep study report with the index and the type of test',
  })
  text!: string;

  @ContractField(() => JsonScalar, {
    description: 'Documents of that kind that the record already names. A person must read them.',
    shape: listShape('FactEvidence'),
  })
  on_record!: readonly Evidence[];
}

@ObjectType({ description: 'One criterion, checked against the record.' })
export class GuidelineCriterion {
  @ContractField(() => String, { description: 'Its id in the rule.', example: 'c1' })
  id!: string;

  @ContractField(() => String, { description: 'Text of the criterion.', example: 'Age 50 to 77.' })
  text!: string;

  @ContractField(() => Boolean, {
    description: 'True if met; null if the record does not say.',
    nullable: true,
    example: true,
  })
  met!: boolean | null;

  @ContractField(() => JsonScalar, {
    description: 'Evidence in the record that decided it.',
    shape: listShape('FactEvidence'),
  })
  evidence!: readonly Evidence[];

  @ContractField(() => String, {
    description: 'Group name: one met criterion of the group is enough.',
    optional: true,
    example: 'oxygen_group',
  })
  alternative?: string;

  @ContractField(() => GuidelineSettledBy, { description: 'Present if the criterion is unknown.', optional: true })
  settled_by?: GuidelineSettledBy;
}

@ObjectType({ description: 'A criterion that does not apply to this case.' })
export class GuidelineNotApplicable {
  @ContractField(() => String, { description: 'Its id in the rule.', example: 'c3' })
  id!: string;

  @ContractField(() => String, {
    description: 'Text of the criterion.',
    example: 'Special-feature monitors need impairment.',
  })
  text!: string;
}

@ObjectType({
  description: 'A guideline that applies to the event, in the revision in force at its effective time.',
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

  @ContractField(() => String, { description: 'Kind of rule.', enum: ['GUIDELINE', 'POLICY'], example: 'GUIDELINE' })
  kind!: string;

  @ContractField(() => String, { description: 'Published source.', nullable: true, example: 'Pub. 100-03, 240.4' })
  citation!: string | null;

  @ContractField(() => String, {
    description: 'Time from which it is in force.',
    format: 'date-time',
    example: '2008-03-13T00:00:00.000Z',
  })
  effective_from!: string;

  @ContractField(() => String, {
    description: 'Time at which it ends.',
    format: 'date-time',
    nullable: true,
    example: null,
  })
  effective_to!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of the stored artifact.', example: EXAMPLE_SHA256 })
  artifact_sha256!: string;

  @ContractField(() => String, {
    description: 'Verdict of this guideline alone.',
    enum: GUIDELINE_VERDICTS,
    example: 'SUPPORTS',
  })
  verdict!: Exclude<Verdict, 'NO_GUIDELINE'>;

  @ContractField(() => JsonScalar, { description: 'Its criteria.', shape: listShape('GuidelineCriterion') })
  criteria!: readonly GuidelineCriterion[];

  @ContractField(() => JsonScalar, {
    description: 'Criteria that do not apply to this case.',
    shape: listShape('GuidelineNotApplicable'),
  })
  not_applicable!: readonly GuidelineNotApplicable[];

  @ContractField(() => [String], {
    description: 'Notes of the guideline that the service does not check.',
    example: [],
  })
  notes!: readonly string[];
}

@ObjectType({ description: 'Whether published guidelines support the service of an event.' })
export class GuidelineAnswer extends RecordAnswer {
  @ContractField(() => String, { description: 'Verdict over all guidelines.', enum: VERDICTS, example: 'SUPPORTS' })
  verdict!: Verdict;

  @ContractField(() => JsonScalar, { description: 'Guidelines that apply.', shape: listShape('GuidelineResult') })
  guidelines!: readonly GuidelineResult[];

  @ContractField(() => String, { description: 'How the verdict follows from the criteria.', example: 'A guideline …' })
  verdict_rule!: string;

  @ContractField(() => StoodOn, { description: 'Rules and events that the answer is based on.' })
  stood_on!: StoodOn;
}

/** Events that a preview looks at. */
export const DEFAULT_PREVIEW_LAST = 50;
const MAX_PREVIEW_LAST = 200;

@ArgsType()
export class RulePreviewArgs {
  @ContractField(() => RuleInput, { description: 'The rule, as POST /v1/rules takes it.' })
  rule!: RuleInput;

  @ContractField(() => Int, {
    description: `How many of the newest events to look at; default ${DEFAULT_PREVIEW_LAST}.`,
    optional: true,
    example: DEFAULT_PREVIEW_LAST,
    minimum: 1,
    maximum: MAX_PREVIEW_LAST,
  })
  last?: number;
}

const COUNT = { minimum: 0, example: 12 } as const;

@ObjectType({ description: 'Results of one criterion of a previewed rule.' })
export class PreviewedCriterion {
  @ContractField(() => String, { description: 'Its id in the rule.', example: 'c1' })
  id!: string;

  @ContractField(() => String, { description: 'Text of the criterion.', example: 'Age 50 to 77.' })
  text!: string;

  @ContractField(() => Int, { description: 'Events that meet it.', ...COUNT })
  met!: number;

  @ContractField(() => Int, { description: 'Events that do not meet it.', ...COUNT })
  not_met!: number;

  @ContractField(() => Int, { description: 'Events whose record does not say.', ...COUNT })
  no_value!: number;
}

@ObjectType({ description: 'Number of events by verdict.' })
class PreviewedVerdicts {
  @ContractField(() => Int, { description: 'Every criterion is met.', ...COUNT })
  SUPPORTS!: number;

  @ContractField(() => Int, { description: 'A criterion is not met.', ...COUNT })
  DOES_NOT_SUPPORT!: number;

  @ContractField(() => Int, { description: 'The record does not decide it.', ...COUNT })
  INSUFFICIENT_INFORMATION!: number;
}

@ObjectType({ description: 'What a rule would say about the newest events.' })
export class RulePreview {
  @ContractField(() => Int, { description: 'Events that were looked at.', ...COUNT })
  looked_at!: number;

  @ContractField(() => Int, { description: 'Events that the rule applies to by its codes and program.', ...COUNT })
  judged!: number;

  @ContractField(() => PreviewedVerdicts, { description: 'Verdicts on these events.' })
  verdicts!: PreviewedVerdicts;

  @ContractField(() => JsonScalar, {
    description: 'Results of each criterion. A criterion that does not apply to an event counts nowhere.',
    shape: listShape('PreviewedCriterion'),
  })
  criteria!: readonly PreviewedCriterion[];
}
