import { ArgsType, Float, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { enumType } from '../../../../shared/graph/enum-type.js';
import { groupedBy, WindowedGroupArgs } from '../../../../shared/graph/group-args.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';

const AiDecisionDimension = enumType(
  'AiDecisionDimension',
  'A value that groups AI decisions, for example MODEL_NAME.',
  {
    DECISION_TYPE: 'Kind of decision.',
    MODEL_NAME: 'Name of the model.',
    MODEL_VERSION: 'Version of the model.',
    RECOMMENDATION: 'Recommendation of the model.',
    MONTH: 'Month in UTC in which the decision was made.',
  },
);

@ArgsType()
export class AiDecisionAggregateArgs extends WindowedGroupArgs {
  @ContractField(() => [AiDecisionDimension], {
    description: 'Values that group the decisions; an empty list makes one group.',
    example: ['MODEL_NAME', 'MONTH'],
    maxItems: 5,
    uniqueItems: true,
  })
  by!: (keyof typeof AiDecisionDimension)[];
}

const RATE = { example: 0.25, minimum: 0, maximum: 1 };

@ObjectType({ description: 'AI decisions with the same values.' })
class AiDecisionAggregateGroup {
  @ContractField(() => String, groupedBy('Kind of decision', 'UTILIZATION_MANAGEMENT'))
  decision_type!: string | null;

  @ContractField(() => String, groupedBy('Name of the model', 'um-triage'))
  model_name!: string | null;

  @ContractField(() => String, groupedBy('Version of the model', '4.2.0'))
  model_version!: string | null;

  @ContractField(() => String, groupedBy('Recommendation of the model', 'DENY'))
  recommendation!: string | null;

  @ContractField(() => String, groupedBy('Month in UTC', '2026-03'))
  month!: string | null;

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

  @ContractField(() => Float, { description: 'Share of overridden decisions.', ...RATE })
  override_rate!: number;
}

@ObjectType({ description: 'Groups of AI decisions with their figures.' })
export class AiDecisionAggregate {
  @ContractField(() => SafeInteger, { description: 'Number of decisions.', example: 40 })
  count!: number;

  @ContractField(() => [AiDecisionAggregateGroup], { description: 'The groups, the largest first.' })
  items!: readonly AiDecisionAggregateGroup[];

  @ContractField(() => Boolean, { description: 'Whether there are more groups than shown.', example: false })
  truncated!: boolean;
}
