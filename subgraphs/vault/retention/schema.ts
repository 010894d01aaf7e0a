import { InputType, Int, ObjectType } from 'type-graphql';
import { COUNTS_FROM, type CountsFrom } from '../../../shared/contracts/disposal.js';
import { ContractField } from '../../../shared/graph/contract-field.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const YEARS = { example: 10, minimum: 1, maximum: 100 };
const FAMILY = { example: 'claims', minLength: 1, maxLength: 128 };
const TYPE = { example: 'clinical-note', minLength: 1, maxLength: 128 };

@InputType('RetentionPolicyInput', { description: 'Retention of events of a family, or of documents of a type.' })
@ObjectType('RetentionPolicy', { description: 'Retention of events of a family, or of documents of a type.' })
class RetentionPolicyShape {
  @ContractField(() => String, {
    description: 'Event family, case-insensitive.',
    optional: true,
    ...FAMILY,
  })
  event_family?: string;

  @ContractField(() => String, { description: 'Document type.', optional: true, ...TYPE })
  document_type?: string;

  @ContractField(() => Int, { description: 'Retention in calendar years.', ...YEARS })
  years!: number;

  @ContractField(() => String, {
    description: 'Start of the period: EFFECTIVE time (default), or the LATER of effective and recording time.',
    optional: true,
    example: 'EFFECTIVE',
    enum: [...COUNTS_FROM],
  })
  counts_from?: CountsFrom;
}

@InputType({ description: 'All retention policies of a tenant.' })
export class RetentionPoliciesInput {
  @ContractField(() => Int, {
    description: 'Years for records without a policy; default 10.',
    optional: true,
    ...YEARS,
  })
  default_years?: number;

  @ContractField(() => [RetentionPolicyShape], { description: 'Policies, each for one family or type.', maxItems: 500 })
  policies!: RetentionPolicyShape[];

  @ContractField(() => Int, {
    description: 'Expected current revision; CONFLICT if it differs.',
    optional: true,
    minimum: 0,
  })
  revision?: number;
}

@ObjectType({ description: 'Retention policies.' })
export class RetentionPolicies {
  @ContractField(() => Int, { description: 'Years for records without a policy.', example: 10 })
  default_years!: number;

  @ContractField(() => String, {
    description: 'Start of the default period: the later of effective and recording time.',
    example: 'LATER',
    enum: [...COUNTS_FROM],
  })
  default_counts_from!: CountsFrom;

  @ContractField(() => Int, { description: 'Minimum of the deployment for every policy.', example: 6 })
  minimum_years!: number;

  @ContractField(() => [RetentionPolicyShape], { description: 'Policies by family or type.' })
  policies!: RetentionPolicyShape[];

  @ContractField(() => Int, { description: 'Revision; 0 before the first change.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of the last change.', nullable: true, ...TIME })
  updated_at!: string | null;

  @ContractField(() => String, { description: 'Key of the last change.', nullable: true })
  updated_by!: string | null;
}

@ObjectType({ description: 'Result of a sweep.' })
class SweepCountsShape {
  @ContractField(() => Int, { description: 'Expired records.', example: 120 })
  past_age!: number;

  @ContractField(() => Int, { description: 'Disposed records; with dry_run, those that would be.', example: 100 })
  disposed!: number;

  @ContractField(() => Int, { description: 'Expired records that a hold keeps.', example: 20 })
  held!: number;

  @ContractField(() => Int, { description: 'Records that fail their check; each has an exception.', example: 0 })
  damaged!: number;
}

@ObjectType({ description: 'One retention sweep.' })
export class RetentionSweep {
  @ContractField(() => String, { description: 'Identifier of the sweep.', example: 'swp_01JQ0000000000000000000001' })
  sweep_id!: string;

  @ContractField(() => Boolean, { description: 'Whether the sweep only reported.', example: false })
  dry_run!: boolean;

  @ContractField(() => Boolean, {
    description: 'Whether all records were checked; if not, the daily job continues.',
    example: true,
  })
  complete!: boolean;

  @ContractField(() => String, { description: 'Time of the sweep.', ...TIME })
  at!: string;

  @ContractField(() => SweepCountsShape, { description: 'Counts of events.' })
  events!: SweepCountsShape;

  @ContractField(() => SweepCountsShape, { description: 'Counts of documents.' })
  documents!: SweepCountsShape;

  @ContractField(() => [String], { description: 'Segments of the write-once store that were deleted whole.' })
  segments_dropped!: string[];
}
