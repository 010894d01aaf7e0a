import { Directive, ObjectType } from 'type-graphql';
import { ContractField } from './contract-field.js';

/** One fault inside a value that was sent: the graph's form of FieldFault (shared/errors/problem.ts). */
@ObjectType('FieldFault', { description: 'One fault in the request.' })
@Directive('@shareable')
export class FieldFaultType {
  @ContractField(() => String, { description: 'JSON Pointer (RFC 6901) to the faulty value.', example: '/event_type' })
  path!: string;

  @ContractField(() => String, { description: 'Code of the fault.', example: 'required' })
  code!: string;

  @ContractField(() => String, { description: 'Description of the fault.', example: 'Required.' })
  message!: string;
}
