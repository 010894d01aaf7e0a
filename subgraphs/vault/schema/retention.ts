import { InputType, Int, ObjectType } from 'type-graphql';
import { COUNTS_FROM, type CountsFrom } from '../../../shared/contracts/disposal.js';
import { ContractField } from '../../../shared/graph/contract-field.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const YEARS = { example: 10, minimum: 1, maximum: 100 };
const FAMILY = { example: 'claims', minLength: 1, maxLength: 128 };
const TYPE = { example: 'clinical-note', minLength: 1, maxLength: 128 };

@InputType('RetentionPolicyInput', { description: 'How long events of a family, or documents of a type, are kept.' })
@ObjectType('RetentionPolicy', { description: 'How long events of a family, or documents of a type, are kept.' })
export class RetentionPolicyShape {
  @ContractField(() => String, {
    description: 'Events of this family, without regard to case.',
    optional: true,
    ...FAMILY,
  })
  event_family?: string;

  @ContractField(() => String, { description: 'Documents of this type.', optional: true, ...TYPE })
  document_type?: string;

  @ContractField(() => Int, { description: 'Calendar years.', ...YEARS })
  years!: number;

  @ContractField(() => String, {
    description:
      'From when the age counts: when it happened (EFFECTIVE, unless told), or the later of that and when it was recorded.',
    optional: true,
    example: 'EFFECTIVE',
    enum: [...COUNTS_FROM],
  })
  counts_from?: CountsFrom;
}

@InputType({ description: 'The policies of a tenant, all of them.' })
export class RetentionPoliciesInput {
  @ContractField(() => Int, { description: 'For what no policy names; 10 unless told.', optional: true, ...YEARS })
  default_years?: number;

  @ContractField(() => [RetentionPolicyShape], { description: 'Policies, each naming one thing.', maxItems: 500 })
  policies!: RetentionPolicyShape[];

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 0,
  })
  revision?: number;
}

@ObjectType({ description: 'How long things are kept.' })
export class RetentionPolicies {
  @ContractField(() => Int, { description: 'For what no policy names.', example: 10 })
  default_years!: number;

  @ContractField(() => String, {
    description: 'From when the default counts: the later of when it happened and when it was recorded.',
    example: 'LATER',
    enum: [...COUNTS_FROM],
  })
  default_counts_from!: CountsFrom;

  @ContractField(() => Int, { description: 'No policy of this deployment may be shorter.', example: 6 })
  minimum_years!: number;

  @ContractField(() => [RetentionPolicyShape], { description: 'Policies.' })
  policies!: RetentionPolicyShape[];

  @ContractField(() => Int, { description: 'Counts their changes; 0 before the first.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When they were set.', nullable: true, ...TIME })
  updated_at!: string | null;

  @ContractField(() => String, { description: 'The key that set them.', nullable: true })
  updated_by!: string | null;
}

@ObjectType({ description: 'What a sweep has found.' })
export class SweepCountsShape {
  @ContractField(() => Int, { description: 'Past their age.', example: 120 })
  past_age!: number;

  @ContractField(() => Int, { description: 'Disposed of; with dry_run, what would be.', example: 100 })
  disposed!: number;

  @ContractField(() => Int, { description: 'Under a hold: they stay.', example: 20 })
  held!: number;
}

@ObjectType({ description: 'One sweep.' })
export class RetentionSweep {
  @ContractField(() => String, { description: 'Identifier.', example: 'swp_01JQ0000000000000000000001' })
  sweep_id!: string;

  @ContractField(() => Boolean, { description: 'Nothing was disposed of.', example: false })
  dry_run!: boolean;

  @ContractField(() => Boolean, {
    description: 'Everything was looked at; if not, the daily job goes on.',
    example: true,
  })
  complete!: boolean;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => SweepCountsShape, { description: 'Events.' })
  events!: SweepCountsShape;

  @ContractField(() => SweepCountsShape, { description: 'Documents.' })
  documents!: SweepCountsShape;

  @ContractField(() => [String], { description: 'Segments of the write-once store that were dropped as a whole.' })
  segments_dropped!: string[];
}
