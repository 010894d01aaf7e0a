import { ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { EDGE_KINDS, type EdgeKind } from '../domain/link-edges.js';
import { LINK_KINDS, type LinkKind } from '../domain/linked-event.js';

@ObjectType({ description: 'An event that names a number which this one names too.' })
export class EventLink {
  @ContractField(() => String, {
    description:
      'What this event is to the other: a remittance ADJUDICATES a claim, a claim is AUTHORIZED_BY a decision.',
    enum: EDGE_KINDS,
    example: 'ADJUDICATED_BY',
  })
  kind!: EdgeKind;

  @ContractField(() => String, { description: 'The other event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Its type, in lower case.', example: 'claim_adjudicated' })
  event_type!: string;

  @ContractField(() => String, { description: 'What the number names.', enum: LINK_KINDS, example: 'CLAIM' })
  via!: LinkKind;
}

@ObjectType({ description: 'What an event is joined to by its numbers.' })
export class EventLinkList {
  @ContractField(() => [EventLink], { description: 'The newest event first, 500 at most.' })
  items!: readonly EventLink[];

  @ContractField(() => Boolean, { description: 'Whether there are more than are shown.', example: false })
  truncated!: boolean;
}
