import { InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

// Fields that records about members share.

export const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
export const MEMBER = { example: 'M-1', minLength: 1, maxLength: 256 };
export const NPI = { example: '1234567893', pattern: '^[0-9]{10}$', scalar: 'NPI' } as const;
export const ACTOR = { example: 'act_01JQ0000000000000000000001', minLength: 1, maxLength: 64 };
export const NAME = { example: 'Dr. A. Okafor', minLength: 1, maxLength: 256 };
export const TEXT = { maxLength: 2_000 };
export const KEY = { example: 'key_01JQ0000000000000000000001' };
export const REVISION = {
  description: 'Revision that the caller has read; CONFLICT if the record has another one.',
  optional: true,
  minimum: 1,
} as const;
/** Filters of a list of records about members. */
export const PERSON_FILTER = {
  description: 'Only records of this person, under any identifier.',
  optional: true,
  maxLength: 256,
};
@ObjectType({ description: 'One step of a record about a member.' })
export class MemberRecordStep {
  @ContractField(() => Int, { description: 'Revision after the step.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Action.', example: 'book' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', example: 'booked' })
  to!: string;

  @ContractField(() => String, { description: 'Time of the step.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'Key that took the step.', ...KEY })
  by!: string;

  @ContractField(() => String, { description: 'Actor of the key.', nullable: true })
  actor_id!: string | null;
}

@InputType({ description: 'A step of a record about a member.' })
export class MemberRecordStepInput {
  @ContractField(() => String, { description: 'Reason; stored if the step ends the record.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => Int, REVISION)
  revision?: number;
}
