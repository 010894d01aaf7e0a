import { ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { EDGE_KINDS, type EdgeKind } from './domain/edges.js';
import { LINK_KINDS, type LinkKind } from './domain/linked-event.js';

@ObjectType({ description: 'An event that shares a number with this one.' })
export class EventLink {
  @ContractField(() => String, {
    description:
      'Relation of this event to the other: a remittance ADJUDICATES a claim, a claim is AUTHORIZED_BY a decision.',
    enum: EDGE_KINDS,
    example: 'ADJUDICATED_BY',
  })
  kind!: EdgeKind;

  @ContractField(() => String, { description: 'The other event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Its type, in lower case.', example: 'claim_adjudicated' })
  event_type!: string;

  @ContractField(() => String, { description: 'Meaning of the number.', enum: LINK_KINDS, example: 'CLAIM' })
  via!: LinkKind;
}

@ObjectType({ description: 'Returns the events that share a number with an event.' })
export class EventLinkList {
  @ContractField(() => [EventLink], { description: 'The newest event first, 500 at most.' })
  items!: readonly EventLink[];

  @ContractField(() => Boolean, { description: 'True if there are more than shown.', example: false })
  truncated!: boolean;
}
