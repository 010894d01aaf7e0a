import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { TimelineArgs } from '../../../shared/graph/timeline.js';
import { Member } from './member.js';
import { MEMBER_ID } from './member-parts.js';
import { TimelineMember } from './timeline-member.js';

@ObjectType({ description: 'Whose timeline it is, and where its records are read from.' })
export class MemberTimeline {
  @ContractField(() => Member, {
    description: 'The record that stands for the person; null for one who is known from events alone.',
    nullable: true,
  })
  member!: Member | null;

  @ContractField(() => [String], { description: 'Every identifier of the person, the surviving one first.' })
  member_ids!: string[];

  @ContractField(() => [TimelineMember], {
    description: 'The same identifiers, each with a page of every kind.',
    graphOnly: true,
  })
  identities!: { readonly member_id: string }[];
}

@ArgsType()
export class MemberTimelineArgs extends TimelineArgs {
  @ContractField(() => String, { description: 'The member, by any identifier that stands for them.', ...MEMBER_ID })
  member_id!: string;
}
