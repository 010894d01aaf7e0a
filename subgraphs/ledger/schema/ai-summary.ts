import { Float, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';

const RATE = { example: 0.25, minimum: 0, maximum: 1 };

@ObjectType({ description: 'Decisions of one name.' })
export class AiSummaryGroup {
  @ContractField(() => String, { description: 'What they have in common.', example: 'DENIAL' })
  name!: string;

  @ContractField(() => SafeInteger, { description: 'How many there are.', example: 8 })
  count!: number;

  @ContractField(() => SafeInteger, { description: 'Of them adverse.', example: 4 })
  adverse!: number;

  @ContractField(() => SafeInteger, { description: 'Of them adverse without a licensed reviewer.', example: 1 })
  unreviewed!: number;

  @ContractField(() => SafeInteger, { description: 'Of them overridden.', example: 2 })
  overridden!: number;

  @ContractField(() => Float, { description: 'Share of adverse ones.', ...RATE })
  adverse_rate!: number;

  @ContractField(() => Float, { description: 'Share of overridden ones.', ...RATE })
  override_rate!: number;
}

@ObjectType({ description: 'Decisions of one month.' })
export class AiSummaryMonth extends AiSummaryGroup {
  @ContractField(() => Float, {
    description: 'Override rate less that of the month before; null for the first.',
    nullable: true,
  })
  override_rate_change!: number | null;
}

@ObjectType({ description: 'Where the override rate goes.' })
export class AiOverrideTrend {
  @ContractField(() => String, {
    description: 'Direction; UNKNOWN within a single month.',
    example: 'RISING',
    enum: ['RISING', 'FALLING', 'STEADY', 'UNKNOWN'],
  })
  direction!: string;

  @ContractField(() => Float, {
    description: 'Change of the override rate a month: least squares over the months, weighted by their decisions.',
    nullable: true,
  })
  change_per_month!: number | null;

  @ContractField(() => Int, { description: 'Months that it is reckoned from.', example: 3 })
  months!: number;
}

@ObjectType({ description: 'Counts and rates of AI decisions, by the time at which they were made.' })
export class AiDecisionSummary {
  @ContractField(() => String, { description: 'Made at this time or later.', nullable: true, format: 'date-time' })
  from!: string | null;

  @ContractField(() => String, { description: 'Made before this time.', nullable: true, format: 'date-time' })
  to!: string | null;

  @ContractField(() => SafeInteger, { description: 'How many there are.', example: 8 })
  count!: number;

  @ContractField(() => SafeInteger, { description: 'Of them adverse.', example: 4 })
  adverse!: number;

  @ContractField(() => SafeInteger, { description: 'Of them adverse without a licensed reviewer.', example: 1 })
  unreviewed!: number;

  @ContractField(() => SafeInteger, { description: 'Of them overridden.', example: 2 })
  overridden!: number;

  @ContractField(() => Float, { description: 'Share of adverse ones.', ...RATE })
  adverse_rate!: number;

  @ContractField(() => Float, { description: 'Share of overridden ones.', ...RATE })
  override_rate!: number;

  @ContractField(() => [AiSummaryGroup], { description: 'By kind of decision, the most frequent first.' })
  by_type!: AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By model.' })
  by_model!: AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By model and version.' })
  by_version!: AiSummaryGroup[];

  @ContractField(() => [AiSummaryGroup], { description: 'By what the model recommended.' })
  by_outcome!: AiSummaryGroup[];

  @ContractField(() => [AiSummaryMonth], { description: 'By month (UTC) in which they were made, oldest first.' })
  by_month!: AiSummaryMonth[];

  @ContractField(() => AiOverrideTrend, { description: 'Where the override rate goes.' })
  override_trend!: AiOverrideTrend;

  @ContractField(() => Boolean, { description: 'A list was cut to its 200 most frequent names.', example: false })
  truncated!: boolean;
}
