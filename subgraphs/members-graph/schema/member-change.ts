import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { MEMBER_STATUSES, type MemberStatus } from '../domain/members/member.js';
import { MEMBER_ID } from './member-parts.js';

const STATUSES = [...MEMBER_STATUSES];

@ObjectType({ description: 'One step of the record of a member.' })
export class MemberStep {
  @ContractField(() => String, { description: 'Identifier of the step.', example: 'eff_01JQ0000000000000000000001' })
  change_id!: string;

  @ContractField(() => Int, { description: 'Revision that it made; null for a merge.', nullable: true })
  revision!: number | null;

  @ContractField(() => String, { description: 'What was done.', example: 'update' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true, enum: STATUSES })
  from!: MemberStatus | null;

  @ContractField(() => String, { description: 'Status after.', example: 'ACTIVE', enum: STATUSES })
  to!: MemberStatus;

  @ContractField(() => JsonScalar, { description: 'Members of the record that changed, as they were before.' })
  before!: Record<string, unknown>;

  @ContractField(() => String, { description: 'Of a merge or its undoing: the other record.', nullable: true })
  other_member_id!: string | null;

  @ContractField(() => String, { description: 'Why, where the caller said so.', nullable: true })
  reason!: string | null;

  @ContractField(() => String, { description: 'The event that told of it.', nullable: true })
  event_id!: string | null;

  @ContractField(() => String, { description: 'When.', example: '2026-03-02T14:11:10.004Z', format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

export const MemberStepPage = pageType('MemberStepPage', () => MemberStep);

@ArgsType()
export class MemberHistoryArgs extends PageArgs {
  @ContractField(() => String, { description: 'The member.', ...MEMBER_ID })
  member_id!: string;

  @ContractField(() => String, { description: 'At this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Before this time.', optional: true, format: 'date-time' })
  to?: string;
}
