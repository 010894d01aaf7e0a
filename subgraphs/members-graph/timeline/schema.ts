import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { TimelineArgs, timelineMemberType } from '../../../shared/graph/timeline.js';
import { MEMBER_ID, Member } from '../members/schema.js';

export const TimelineMember = timelineMemberType();

@ObjectType({ description: 'The member of a timeline, with the identifiers to read its records by.' })
export class MemberTimeline {
  @ContractField(() => Member, {
    description: 'The surviving record of the person; null for a member known only from events.',
    nullable: true,
  })
  member!: Member | null;

  @ContractField(() => [String], { description: 'Every identifier of the person, the survivor first.' })
  member_ids!: string[];

  @ContractField(() => [TimelineMember], {
    description: 'The same identifiers, each with a page of every kind.',
    graphOnly: true,
  })
  identities!: { readonly member_id: string }[];
}

@ArgsType()
export class MemberTimelineArgs extends TimelineArgs {
  @ContractField(() => String, { description: 'Any identifier of the member.', ...MEMBER_ID })
  member_id!: string;
}
