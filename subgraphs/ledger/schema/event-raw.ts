import { ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';

@ObjectType({
  description: 'Where the raw bytes of an event are, and what they are; the bytes are streamed beside the graph.',
})
export class EventRaw {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the body that holds them.' })
  raw_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Where they begin in the body.', example: 106 })
  offset!: number;

  @ContractField(() => SafeInteger, { description: 'How many there are.', example: 812 })
  length!: number;

  @ContractField(() => String, { description: 'SHA-256 of these bytes.' })
  sha256!: string;

  @ContractField(() => String, { description: 'Their media type.', example: 'application/edi-x12' })
  media_type!: string;

  @ContractField(() => String, { description: 'A name for a file.', example: 'evt_01JQ0000000000000000000001.edi' })
  filename!: string;

  @ContractField(() => Boolean, { description: 'Whether they are the whole body.', example: false })
  is_whole!: boolean;

  @ContractField(() => String, { description: 'Member concerned.', optional: true })
  member_id?: string;
}
