import { Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../shared/graph/contract-field.js';

/** The legal matter of a record; the bundles subgraph has it. */
@ObjectType('LegalMatter', {
  description: 'The records of one legal case: members, holds, bundles, exceptions and documents.',
})
@Directive('@key(fields: "matter_id", resolvable: false)')
@Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
export class MatterOfRecord {
  @ContractField(() => String, {
    description: 'Identifier of the matter.',
    example: 'mat_01JQ0000000000000000000001',
  })
  matter_id!: string;
}
