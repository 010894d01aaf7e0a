import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

@ObjectType({ description: 'One step of a record about a member.' })
export class MemberRecordStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'book' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', example: 'booked' })
  to!: string;

  @ContractField(() => String, { description: 'When.', example: '2026-03-02T14:11:10.004Z', format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}
