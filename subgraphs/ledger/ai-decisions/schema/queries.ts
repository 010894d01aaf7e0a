import { ArgsType, Float, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { PageArgs } from '../../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { AI_DECISION_STATUSES, AI_DECISION_TYPES, type AiDecisionStatus } from '../domain/decision.js';
import { TIME } from './decision.js';

const RATE = { example: 0.25, minimum: 0, maximum: 1 };

@ObjectType({ description: 'Decisions with one name.' })
export class AiSummaryGroup {
  @ContractField(() => String, { description: 'The name that they share.', example: 'DENIAL' })
  name!: string;

  @ContractField(() => SafeInteger, { description: 'Number of decisions.', example: 8 })
  count!: number;

  @ContractField(() => SafeInteger, { description: 'Number of adverse decisions.', example: 4 })
  adverse!: number;

  @ContractField(() => SafeInteger, {
    description: 'Number of adverse decisions without a licensed reviewer.',
    example: 1,
  })
  unreviewed!: number;

  @ContractField(() => SafeInteger, { description: 'Number of overridden decisions.', example: 2 })
  overridden!: number;

  @ContractField(() => Float, { description: 'Share of adverse decisions.', ...RATE })
  adverse_rate!: number;

  @ContractField(() => Float, { description: 'Share of overridden decisions.', ...RATE })
  override_rate!: number;
}

@ObjectType({ description: 'Decisions of one month.' })
class AiSummaryMonth extends AiSummaryGroup {
  @ContractField(() => Float, {
    description: 'Override rate minus that of the previous month; null for the first.',
    nullable: true,
  })
  override_rate_change!: number | null;
}

@ObjectType({ description: 'Trend of the override rate.' })
class AiOverrideTrend {
  @ContractField(() => String, {
    description: 'Direction; UNKNOWN within a single month.',
    example: 'RISING',
    enum: ['RISING', 'FALLING', 'STEADY', 'UNKNOWN'],
  })
  direction!: 'RISING' | 'FALLING' | 'STEADY' | 'UNKNOWN';

  @ContractField(() => Float, {
    description: 'Change of the override rate per month: least squares over the months, weighted by their decisions.',
    nullable: true,
  })
  change_per_month!: number | null;

  @ContractField(() => Int, { description: 'Number of months in the calculation.', example: 3 })
  months!: number;
}

@ObjectType({ description: 'Counts and rates of AI decisions, by the time at which they were made.' })
export class AiDecisionSummary {
  @ContractField(() => String, { description: 'Made at this time or later.', nullable: true, format: 'date-time' })
  from!: string | null;

  @ContractField(() => String, { description: 'Made before this time.', nullable: true, format: 'date-time' })
  to!: string | null;

  @ContractField(() => SafeInteger, { description: 'Number of decisions.', example: 8 })
  count!: number;

  @ContractField(() => SafeInteger, { description: 'Number of adverse decisions.', example: 4 })
  adverse!: number;

  @ContractField(() => SafeInteger, {
    description: 'Number of adverse decisions without a licensed reviewer.',
    example: 1,
  })
  unreviewed!: number;

  @ContractField(() => SafeInteger, { description: 'Number of overridden decisions.', example: 2 })
  overridden!: number;

  @ContractField(() => Float, { description: 'Share of adverse decisions.', ...RATE })
  adverse_rate!: number;

  @ContractField(() => Float, { description: 'Share of overridden decisions.', ...RATE })
  override_rate!: number;

  @ContractField(() => [AiSummaryGroup], { description: 'By kind of decision, the most frequent first.' })
  by_type!: readonly AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By model.' })
  by_model!: readonly AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By model and version.' })
  by_version!: readonly AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By recommendation of the model.' })
  by_outcome!: readonly AiSummaryGroup[];

  @ContractField(() => [AiSummaryMonth], { description: 'By month (UTC) in which they were made, oldest first.' })
  by_month!: readonly AiSummaryMonth[];

  @ContractField(() => AiOverrideTrend, { description: 'Trend of the override rate.' })
  override_trend!: AiOverrideTrend;

  @ContractField(() => Boolean, {
    description: 'True if a list contains only its 200 most frequent names.',
    example: false,
  })
  truncated!: boolean;
}

@ArgsType()
export class AiDecisionFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...AI_DECISION_TYPES] })
  decision_type?: string;

  @ContractField(() => String, { description: 'Only by this model.', optional: true, maxLength: 200 })
  model_name?: string;

  @ContractField(() => String, { description: 'Only by this version.', optional: true, maxLength: 200 })
  model_version?: string;

  @ContractField(() => String, { description: 'Only about this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Only about this event.', optional: true, maxLength: 64 })
  event_id?: string;

  @ContractField(() => String, { description: 'Only with this recommendation.', optional: true, maxLength: 128 })
  recommendation?: string;

  @ContractField(() => Boolean, { description: 'Only adverse decisions, or only the others.', optional: true })
  adverse?: boolean;

  @ContractField(() => Boolean, { description: 'Only adverse decisions without a licensed reviewer.', optional: true })
  unreviewed?: boolean;

  @ContractField(() => String, {
    description: 'Only decisions with this status.',
    optional: true,
    enum: [...AI_DECISION_STATUSES],
  })
  status?: AiDecisionStatus;

  @ContractField(() => String, { description: 'Recorded at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Recorded before this time.', optional: true, ...TIME })
  to?: string;
}

@ArgsType()
export class AiDecisionExportArgs extends AiDecisionFilter {
  @ContractField(() => String, {
    description: 'Form of the document; prov by default.',
    optional: true,
    enum: ['prov', 'fhir'],
  })
  format?: 'prov' | 'fhir';
}

@ObjectType({ description: 'A page of decisions as one document.' })
export class AiDecisionExport {
  @ContractField(() => String, { description: 'Its form.', example: 'prov', enum: ['prov', 'fhir'] })
  format!: string;

  @ContractField(() => JsonScalar, {
    description: 'PROV-JSON, or a FHIR R4 Bundle of Provenance.',
    shape: { type: 'object', additionalProperties: true },
  })
  document!: JsonObject;

  @ContractField(() => String, { description: 'Cursor of the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;
}
