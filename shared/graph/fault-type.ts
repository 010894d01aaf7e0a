import { Directive, Int, ObjectType } from 'type-graphql';
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

  @ContractField(() => String, {
    description: 'The known name that is nearest to an unknown one.',
    optional: true,
    example: 'event_type',
  })
  did_you_mean?: string;

  @ContractField(() => Int, {
    description: 'Line in the text of a JSON body that is not valid, counted from 1.',
    optional: true,
    minimum: 1,
  })
  line?: number;

  @ContractField(() => Int, {
    description: 'Column in that line, in characters, counted from 1.',
    optional: true,
    minimum: 1,
  })
  column?: number;
}
