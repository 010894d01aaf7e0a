import { ArgsType, Directive, ObjectType } from 'type-graphql';
import { CODE_SYSTEM_NAMES } from '../../../../shared/event-keys/event-keys.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { EventEdgeArgs } from './edges.js';

// What events name and no record describes: each is known by its key alone, and on the graph only.

@ObjectType({ description: 'A provider that events name by NPI.' })
@Directive('@key(fields: "npi")')
export class Provider {
  @ContractField(() => String, { description: 'National Provider Identifier.', scalar: 'NPI', example: '1234567893' })
  npi!: string;
}

@ObjectType({ description: 'A claim that events name by its number (`payload.claim_id`).' })
@Directive('@key(fields: "claim_id")')
export class Claim {
  @ContractField(() => String, { description: 'Number of the claim.', example: 'CLM-1001' })
  claim_id!: string;
}

@ObjectType({ description: 'A code of a reason, a procedure or a diagnosis that events name.' })
@Directive('@key(fields: "system code")')
export class Code {
  @ContractField(() => String, { description: 'Code system, in lower case.', example: 'carc' })
  system!: string;

  @ContractField(() => String, { description: 'The code, in the form of exact filters.', example: '50' })
  code!: string;
}

@ArgsType()
export class ProviderArgs extends EventEdgeArgs {
  @ContractField(() => String, {
    description: 'National Provider Identifier.',
    scalar: 'NPI',
    example: '1234567893',
    pattern: '^[0-9]{10}$',
  })
  npi!: string;
}

@ArgsType()
export class ClaimArgs extends EventEdgeArgs {
  @ContractField(() => String, {
    description: 'Number of the claim.',
    example: 'CLM-1001',
    minLength: 1,
    maxLength: 256,
  })
  claim_id!: string;
}

@ArgsType()
export class CodeArgs extends EventEdgeArgs {
  @ContractField(() => String, { description: 'Code system.', example: 'carc', enum: CODE_SYSTEM_NAMES })
  system!: string;

  @ContractField(() => String, {
    description: 'The code. It matches as a whole.',
    example: '50',
    minLength: 1,
    maxLength: 256,
  })
  value!: string;
}
