import { Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../../shared/graph/contract-field.js';
import { ACTOR_KINDS } from '../domain/states.js';

/** The actor of an entry of custody; the ledger has the entry. */
@ObjectType('CustodyActor', { description: 'The actor who did it.' })
@Directive('@key(fields: "type id")')
@Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
export class CustodyActor {
  @ContractField(() => String, {
    description: 'The actor of a key, a key without an actor, or the service itself.',
    example: 'KEY',
  })
  type!: string;

  @ContractField(() => String, { description: 'Its identifier.', example: 'key_01JQ0000000000000000000001' })
  id!: string;

  @ContractField(() => String, {
    description: "Name of the person, the system or the key; null for the service and for the platform's operator.",
    nullable: true,
    example: 'Jordan Reyes, appeals',
  })
  name!: string | null;

  @ContractField(() => String, {
    description: 'Kind: a person, a system, or a key without an actor; null without a name.',
    nullable: true,
    example: 'HUMAN',
    enum: [...ACTOR_KINDS, 'KEY'],
  })
  kind!: string | null;
}
