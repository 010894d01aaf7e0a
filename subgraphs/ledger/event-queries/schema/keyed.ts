import { Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../../shared/graph/contract-field.js';

// What events name and no record describes: each is known by its key alone, and on the graph only.

const PARTS = { [CONTRACT]: { parts: true } satisfies ContractExtension };

@ObjectType({ description: 'A provider that events name by NPI.' })
@Directive('@key(fields: "npi")')
@Extensions(PARTS)
export class Provider {
  @ContractField(() => String, { description: 'National Provider Identifier.', scalar: 'NPI', example: '1234567893' })
  npi!: string;
}

@ObjectType({ description: 'A claim that events name by its number (`payload.claim_id`).' })
@Directive('@key(fields: "claim_id")')
@Extensions(PARTS)
export class Claim {
  @ContractField(() => String, { description: 'Number of the claim.', example: 'CLM-1001' })
  claim_id!: string;
}

@ObjectType({ description: 'A code of a reason, a procedure or a diagnosis that events name.' })
@Directive('@key(fields: "system code")')
@Extensions(PARTS)
export class Code {
  @ContractField(() => String, { description: 'Code system, in lower case.', example: 'carc' })
  system!: string;

  @ContractField(() => String, { description: 'The code, in the form of exact filters.', example: '50' })
  code!: string;
}
