import { Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../shared/graph/contract-field.js';

// Records of other subgraphs to which a legal matter leads.

const PARTS = { [CONTRACT]: { parts: true } satisfies ContractExtension };

@ObjectType('Member', { description: 'A member of the directory.' })
@Directive('@key(fields: "member_id", resolvable: false)')
@Extensions(PARTS)
export class MatterMember {
  @ContractField(() => String, { description: 'Identifier of the member, chosen by the caller.', example: 'M-1001' })
  member_id!: string;
}

@ObjectType('LegalHold', {
  description: 'A legal hold: while it is ACTIVE, nothing that it covers can be deleted.',
})
@Directive('@key(fields: "hold_id", resolvable: false)')
@Extensions(PARTS)
export class MatterHold {
  @ContractField(() => String, { description: 'Identifier of the hold.', example: 'hld_01JQ0000000000000000000001' })
  hold_id!: string;
}

@ObjectType('Document', { description: 'One upload; equal bytes are stored once for all documents.' })
@Directive('@key(fields: "document_id", resolvable: false)')
@Extensions(PARTS)
export class MatterDocument {
  @ContractField(() => String, {
    description: 'Identifier of the document.',
    example: 'doc_01JQ0000000000000000000001',
  })
  document_id!: string;
}

@ObjectType('Exception', { description: 'A problem that needs an operator.' })
@Directive('@key(fields: "exception_id", resolvable: false)')
@Extensions(PARTS)
export class MatterException {
  @ContractField(() => String, {
    description: 'Identifier of the exception.',
    example: 'exc_01JQ0000000000000000000001',
  })
  exception_id!: string;
}
